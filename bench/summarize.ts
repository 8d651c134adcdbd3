/**
 * `pulse summarize` over combined logs compared with GoAccess and its GeoIP, in one run: processor time, lines per second of it, and peak memory of each process.
 * Two logs: addresses as they come in a busy one (100,000 of them, the most frequent ones often), and each line with another address. Needs /usr/bin/time; GoAccess (Debian:
 * goaccess) is left out where it is not installed.
 *
 *   node bench/summarize.ts [--lines 2000000] [--rounds 3] [--data-dir DIR]
 *
 * Without --data-dir place and network data are built first, which takes some twenty seconds.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { formatAddress } from '../src/core/ip/format-address.ts';
import { isReserved } from '../src/core/ip/special-purpose.ts';
import { randomWords } from '../test/support/random.ts';
import { DBIP_FILES } from './peers/dbip.ts';
import { table } from './peers/measure.ts';

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
const env = { ...process.env, PULSE_DATA_DIR: values['data-dir'] ?? join(scratch, 'data'), PULSE_FEEDS: 'off' };
const random = randomWords(20_261_122);

function publicAddresses(count: number): readonly string[] {
  const texts: string[] = [];
  while (texts.length < count) {
    const address = { family: 4, w0: random(), w1: 0, w2: 0, w3: 0 } as const;
    if (!isReserved(address)) texts.push(formatAddress(address));
  }
  return texts;
}

/** A combined log of three days. */
async function writeLog(name: string, lines: number, addressOf: () => string): Promise<string> {
  const path = join(scratch, name);
  const file = createWriteStream(path);
  const two = (value: number): string => String(value).padStart(2, '0');
  let text = '';
  for (let i = 0; i < lines; i++) {
    const second = Math.floor((i / lines) * 3 * 86_400);
    const time = `${20 + Math.floor(second / 86_400)}/Nov/2026:${two(Math.floor(second / 3600) % 24)}:${two(Math.floor(second / 60) % 60)}:${two(second % 60)} +0000`;
    text += `${addressOf()} - - [${time}] "GET /page/${i % 400} HTTP/1.1" 200 ${1000 + (i % 5000)} "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"\n`;
    if (text.length < 1 << 20) continue;
    if (!file.write(text)) await once(file, 'drain');
    text = '';
  }
  file.end(text);
  await once(file, 'close');
  return path;
}

interface Spent {
  readonly cpuSec: number;
  readonly peakMb: number;
}

/** Runs a command to its end. @throws Error when it fails */
function spend(command: readonly string[]): Spent {
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', 'spent %U %S %M', ...command], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [, user, system, kilobytes] = /spent ([\d.]+) ([\d.]+) (\d+)/.exec(stderr) ?? [];
  if (status !== 0 || kilobytes === undefined) throw new Error(`${command[0]} failed: ${stderr.slice(-500)}`);
  return { cpuSec: Number(user) + Number(system), peakMb: Number(kilobytes) / 1000 };
}

const pulse = (log: string): readonly string[] => [process.execPath, MAIN, 'summarize', log, '--json'];
const goaccess = (log: string): readonly string[] => [
  'goaccess', log, '--log-format=COMBINED', `--geoip-database=${DBIP_FILES[4]}`, '--no-progress', '--no-global-config', '-o', join(scratch, 'goaccess.json'),
]; // biome-ignore format: a command

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;

try {
  const pool = publicAddresses(100_000);
  const empty = await writeLog('one.log', 1, () => '8.8.8.8');
  spend(pulse(empty)); // builds what is not there yet
  const peers = [{ name: 'pulse summarize', command: pulse }];
  if (spawnSync('goaccess', ['--version']).status === 0) peers.push({ name: 'GoAccess with GeoIP', command: goaccess });
  else process.stderr.write('left out: GoAccess (apt-get install goaccess)\n');
  const logs = [
    {
      name: 'often the same',
      path: await writeLog('often.log', LINES, () => pool[Math.floor(pool.length * (random() / 2 ** 32) ** 6)]!),
    },
    { name: 'all different', path: await writeLog('different.log', LINES, () => publicAddresses(1)[0]!) },
  ];
  const started = Array.from({ length: ROUNDS }, () => spend(pulse(empty)));
  const rows: (readonly (string | number)[])[] = [
    [
      'start alone (1 line)',
      'pulse summarize',
      median(started.map(({ cpuSec }) => cpuSec)),
      '',
      median(started.map(({ peakMb }) => peakMb)),
      '',
    ],
  ];
  for (const { name, path } of logs) {
    const spent = new Map(peers.map((peer) => [peer.name, [] as Spent[]]));
    for (let round = 0; round < ROUNDS; round++)
      for (const peer of round % 2 === 0 ? peers : [...peers].reverse())
        spent.get(peer.name)!.push(spend(peer.command(path)));
    const own = median(spent.get('pulse summarize')!.map(({ cpuSec }) => cpuSec));
    for (const peer of peers) {
      const cpuSec = median(spent.get(peer.name)!.map((one) => one.cpuSec));
      const peakMb = Math.max(...spent.get(peer.name)!.map((one) => one.peakMb));
      rows.push([
        `${name}, ${(statSync(path).size / 1e6).toFixed(0)} MB`,
        peer.name,
        cpuSec,
        Math.round(LINES / cpuSec).toLocaleString('en'),
        peakMb,
        cpuSec / own,
      ]);
    }
  }
  table(['log', 'program', 'processor seconds', 'lines a processor second', 'peak memory, MB', '× pulse'], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
