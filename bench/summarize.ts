/**
 * `pulse summarize` over combined logs compared with GoAccess and its GeoIP, in one run: processor time,
 * lines per second of it, and peak memory of each process. Two logs: addresses as they come in a busy one
 * (100,000 of them, the most frequent ones often), and each line with another address. Needs /usr/bin/time;
 * GoAccess (Debian: goaccess) is left out where it is not installed.
 *
 *   node bench/summarize.ts [--lines 2000000] [--rounds 3] [--data-dir DIR]
 *
 * Without --data-dir place and network data are built first, which takes some twenty seconds.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomWords } from '../test/support/random.ts';
import { DBIP_FILES } from './peers/dbip.ts';
import { median, table } from './peers/measure.ts';
import { isInstalled, publicAddress, spend, spendInTurns, writeLines } from './peers/spend.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '3' },
    'data-dir': { type: 'string' },
  },
});
const LINES = Number(values.lines);
const ROUNDS = Number(values.rounds);
const MAIN = resolve(import.meta.dirname, '../src/cli/main.ts');
const scratch = mkdtempSync(join(tmpdir(), 'pulse-bench-'));
const env = { PULSE_DATA_DIR: values['data-dir'] ?? join(scratch, 'data'), PULSE_FEEDS: 'off' };
const random = randomWords(20_261_122);

/** A combined log of three days. */
async function writeLog(name: string, lines: number, addressOf: () => string): Promise<string> {
  const path = join(scratch, name);
  const two = (value: number): string => String(value).padStart(2, '0');
  await writeLines(path, lines, (i) => {
    const second = Math.floor((i / lines) * 3 * 86_400);
    const time = `${20 + Math.floor(second / 86_400)}/Nov/2026:${two(Math.floor(second / 3600) % 24)}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)} +0000`;
    return `${addressOf()} - - [${time}] "GET /page/${i % 400} HTTP/1.1" 200 ${1000 + (i % 5000)} "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"`;
  });
  return path;
}

const pulse = (log: string): readonly string[] => [process.execPath, MAIN, 'summarize', log, '--json'];
const goaccess = (log: string): readonly string[] => [
  'goaccess',
  log,
  '--log-format=COMBINED',
  `--geoip-database=${DBIP_FILES[4]}`,
  '--no-progress',
  '--no-global-config',
  '-o',
  join(scratch, 'goaccess.json'),
];

try {
  const pool = Array.from({ length: 100_000 }, () => publicAddress(random));
  const empty = await writeLog('one.log', 1, () => '8.8.8.8');
  spend(pulse(empty), env); // builds missing parts
  const peers = [{ name: 'pulse summarize', command: pulse }];
  if (isInstalled('goaccess')) peers.push({ name: 'GoAccess with GeoIP', command: goaccess });
  else process.stderr.write('left out: GoAccess (apt-get install goaccess)\n');
  const logs = [
    {
      name: 'often the same',
      path: await writeLog('often.log', LINES, () => pool[Math.floor(pool.length * (random() / 2 ** 32) ** 6)]!),
    },
    { name: 'all different', path: await writeLog('different.log', LINES, () => publicAddress(random)) },
  ];
  const started = Array.from({ length: ROUNDS }, () => spend(pulse(empty), env));
  const rows: (readonly (string | number)[])[] = [
    [
      'start alone (1 line)',
      'pulse summarize',
      median(started.map(({ cpuSec }) => cpuSec)),
      '',
      median(started.map(({ peakMib }) => peakMib)),
      '',
    ],
  ];
  for (const { name, path } of logs) {
    const spent = spendInTurns(peers, path, ROUNDS, env);
    const own = median(spent.get(peers[0]!)!.map(({ cpuSec }) => cpuSec));
    for (const peer of peers) {
      const cpuSec = median(spent.get(peer)!.map((one) => one.cpuSec));
      const peakMib = Math.max(...spent.get(peer)!.map((one) => one.peakMib));
      rows.push([
        `${name}, ${(statSync(path).size / 1e6).toFixed(0)} MB`,
        peer.name,
        cpuSec,
        Math.round(LINES / cpuSec).toLocaleString('en'),
        peakMib,
        cpuSec / own,
      ]);
    }
  }
  table(['log', 'program', 'processor seconds', 'lines a processor second', 'peak memory, MiB', '× pulse'], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
