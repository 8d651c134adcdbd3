import { LEVELS } from '../../src/contract/risk.ts';
import { HORIZONS, type Horizon, type ReplayReport } from './replay-series.ts';

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`);
const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** The report as markdown. */
export function replayText(report: ReplayReport): string {
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
