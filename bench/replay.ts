import { type Command, InvalidArgumentError } from 'commander';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import { LEVELS } from '../../contract/risk.ts';
import { DAY_MS } from '../../core/units.ts';
import { openReplay } from '../../main/open-replay.ts';
import { HORIZONS, type Horizon, type ReplayReport } from '../../service/replay.ts';

interface ReplayFlags {
  readonly data: string;
  readonly window: string;
  readonly stepDays: number;
  readonly json?: boolean;
}

/** `pulse replay`: the shipped scoring over dated lists as if live (docs/accuracy.md). */
export function register(program: Command): void {
  program
    .command('replay')
    .description('run the shipped scoring over dated lists as if live, and report what became of the addresses')
    .requiredOption('--data <folder>', 'folder with feeds/history/*.feedlog.jsonl.gz')
    .option('--window <name>', 'window of the file names', '2026q3')
    .option('--step-days <n>', 'days between samples', days, 3)
    .option('--json', 'print JSON')
    .action(run);
}

async function run(flags: ReplayFlags): Promise<void> {
  const show = terminalProgress();
  const progress = process.stderr.isTTY ? { progress: (at: number, runs: number) => show(`replaying ${new Date(at).toISOString()}, ${runs} runs`) } : {};
  const report = await openReplay(flags.data, { window: flags.window, stepMs: flags.stepDays * DAY_MS, warmUpMs: 14 * DAY_MS, ...progress });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[2K');
  process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : textOf(report));
}

function days(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a whole number of days from 1 to 99');
}

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

function textOf(report: ReplayReport): string {
  const horizons = Object.keys(HORIZONS) as Horizon[];
  const bands = [...LEVELS].reverse().map((level) => {
    const cells = horizons.map((horizon) => percent(report.survival[horizon][level].again, report.survival[horizon][level].count));
    return `| ${level === 'none' ? '0 (stale)' : level} | ${report.survival['1d'][level].count} | ${cells.join(' | ')} |`;
  });
  const { count, active, scoreSum } = report.firstSeen;
  return [
    `${report.runs} runs, ${day(report.from)} to ${day(report.to)} UTC, ${report.samples} samples, parameters ${report.parameters}`,
    '',
    `| band | prefixes | again within ${horizons.join(' | within ')} |`,
    '|---|---|---|---|---|',
    ...bands,
    '',
    '| state a day or more later | prefixes |',
    '|---|---|',
    ...Object.entries(report.movement).map(([name, moved]) => `| ${name.replace('>', ' → ')} | ${moved} |`),
    '',
    `${count} prefixes seen for the first time; ${percent(active, count)} active at the next sample, mean score ${count === 0 ? '–' : (scoreSum / count).toFixed(1)}`,
    '',
    '| known good | addresses | active | high |',
    '|---|---|---|---|',
    ...report.knownGood.map((group) => `| ${group.name} | ${group.addresses} | ${group.active} | ${group.high} |`),
    '',
  ].join('\n');
}
