/**
 * Processor time of short commands, both of their processes, beside a Node that does nothing and mmdblookup, which
 * prints a place alone. Needs GNU time.
 *
 *   node bench/commands.ts [--rounds 7] [--data-dir DIR]
 *
 * Without --data-dir a service is started once, with the shipped data and no feeds; with it in the folder of
 * a service that ran before.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MMDB, ROOT, scratch, startPulse, stopAll } from './peers/http-load.ts';
import { median, table } from './peers/measure.ts';
import { isInstalled, type Spent, spendInTurns } from './peers/spend.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '7' }, 'data-dir': { type: 'string' } },
});
const ADDRESS = '8.8.8.8';

interface Program {
  readonly name: string;
  readonly command: () => readonly string[];
}

const pulse = (...words: readonly string[]): Program => ({
  name: `pulse ${words.join(' ')}`,
  command: () => [process.execPath, join(ROOT, 'bin/pulse.mjs'), ...words],
});

const programs: Program[] = [
  { name: 'node that does nothing', command: () => [process.execPath, '-e', '0'] },
  pulse('lookup', ADDRESS),
  pulse('key', 'list'),
  pulse('feeds', 'list'),
];
if (isInstalled('mmdblookup') && existsSync(MMDB))
  programs.push({ name: 'mmdblookup', command: () => ['mmdblookup', '--file', MMDB, '--ip', ADDRESS] });
else process.stderr.write('left out: mmdblookup (mmdb-bin)\n');

async function folderOfServiceThatRan(): Promise<string> {
  const dataDir = join(scratch, 'data');
  const { child } = await startPulse({ dataDir });
  child.kill('SIGTERM');
  await once(child, 'exit');
  return dataDir;
}

try {
  const env = { PULSE_DATA_DIR: values['data-dir'] ?? (await folderOfServiceThatRan()) };
  const warmUpRounds = 1;
  spendInTurns(programs, '', warmUpRounds, env);
  const spent = spendInTurns(programs, '', Number(values.rounds), env);
  const medianOf = (program: Program, what: keyof Spent): number => median(spent.get(program)!.map((one) => one[what]));
  table(
    ['command', 'CPU s', 'wall s', 'peak MiB', '÷ an empty Node'],
    programs.map((one) => [
      one.name,
      ...(['cpuSec', 'wallSec', 'peakMib'] as const).map((what) => medianOf(one, what)),
      `${(medianOf(one, 'cpuSec') / medianOf(programs[0]!, 'cpuSec')).toFixed(1)}×`,
    ]),
  );
} finally {
  await stopAll();
}
