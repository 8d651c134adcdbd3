/**
 * `pulse enrich` over access logs and NDJSON against a maxmind script, libmaxminddb's mmdblookup and GoAccess
 * with GeoIP over the same files, in one run. Read lines a second of processor time: other work of the
 * machine is not part of it. Needs GNU time; goaccess and mmdblookup (mmdb-bin) are left out where they are
 * not installed.
 *
 *   node bench/enrich.ts [--data-dir DIR] [--lines 1000000] [--rounds 3] [--addresses zipf|distinct|both]
 *
 * DIR is a data folder whose data was built (`pulse data build`); without it the service stands on the small
 * synthetic world of the tests, where most addresses are unknown. The peers add or count countries and cities
 * and no more; we add score, state, signals, network and country.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomWords } from '../test/support/random.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { MMDB, ROOT } from './peers/http-load.ts';
import { median, table } from './peers/measure.ts';
import { isInstalled, publicAddress, spend, spendInTurns, writeLines } from './peers/spend.ts';

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    lines: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    addresses: { type: 'string', default: 'both' },
  },
});
const LINES = Number(values.lines);
/** Addresses of a log in which they come again. */
const POOL = 200_000;
/** Lines for a peer that starts a process for each. */
const FEW = 300;
const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-enrich-'));
const path = (name: string): string => join(folder, name);

/** Reads lines, asks for the first word, and writes the line with country and city, as such scripts do. */
const MAXMIND = `
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import maxmind from ${JSON.stringify(join(ROOT, 'bench/node_modules/maxmind/lib/index.js'))};
const reader = await maxmind.open(${JSON.stringify(MMDB)}, { cache: { max: 100000 } });
const out = createWriteStream(process.argv[3]);
for await (const line of createInterface({ input: createReadStream(process.argv[2]) })) {
  const found = reader.get(line.slice(0, line.indexOf(' ')));
  if (!out.write(\`\${line} "\${found?.country_code ?? '-'}" "\${found?.city ?? '-'}"\\n\`)) await once(out, 'drain');
}
out.end();
`;

type Draw = (random: () => number) => string;

/** Addresses of which the most frequent comes once in about twelve lines, the second half as often, and so on. */
function zipf(): Draw {
  const pool = Array.from({ length: POOL }, () => publicAddress(poolRandom));
  return (random) => pool[Math.floor(POOL ** (random() / 2 ** 32)) - 1]!;
}
const poolRandom = randomWords(7);
const DRAWS: Readonly<Record<string, () => Draw>> = { zipf, distinct: () => publicAddress };

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
const FORMS: Readonly<Record<string, (ip: string, i: number) => string>> = {
  combined: (ip, i) =>
    `${ip} - - [22/Nov/2026:08:${two(i, 60_000)}:${two(i, 1000)} +0000] "GET /articles/${i % 1000}?page=${i % 7} HTTP/1.1" 200 ${5316 + (i % 999)} "https://example.com/some/page" "${AGENT}"`,
  ndjson: (ip, i) =>
    JSON.stringify({
      time: `2026-11-22T08:${two(i, 60_000)}:${two(i, 1000)}Z`,
      level: 'info',
      client_ip: ip,
      method: 'GET',
      path: `/articles/${i % 1000}?page=${i % 7}`,
      status: 200,
      bytes: 5316 + (i % 999),
      agent: AGENT,
    }),
};
const two = (i: number, each: number): string => String(Math.floor(i / each) % 60).padStart(2, '0');

interface Contender {
  readonly name: string;
  readonly lines: number;
  readonly command: (file: string) => readonly string[];
}

const pulse = (jobs: number): Contender => ({
  name: `pulse enrich, ${jobs === 1 ? 'one thread' : `${jobs} threads`}`,
  lines: LINES,
  command: (file) => [
    process.execPath,
    join(ROOT, 'src/cli/main.ts'),
    'enrich',
    file,
    '--jobs',
    String(jobs),
    '--out',
    path('out'),
  ],
});

function peers(): readonly Contender[] {
  writeFileSync(path('maxmind.mjs'), MAXMIND);
  const list: Contender[] = [
    {
      name: 'maxmind script (npm), cache of 100,000',
      lines: LINES,
      command: (file) => [process.execPath, path('maxmind.mjs'), file, path('out')],
    },
  ];
  if (isInstalled('goaccess'))
    list.push({
      name: 'GoAccess with GeoIP (counts, writes no lines)',
      lines: LINES,
      command: (file) => [
        'goaccess',
        file,
        '--log-format=COMBINED',
        `--geoip-database=${MMDB}`,
        '--no-progress',
        '-o',
        path('report.json'),
      ],
    });
  if (isInstalled('mmdblookup'))
    list.push({
      name: 'mmdblookup, a process an address',
      lines: FEW,
      command: (file) => [
        'sh',
        '-c',
        `head -n ${FEW} ${file} | while read ip rest; do mmdblookup --file ${MMDB} --ip $ip country_code; done > ${path('out')}`,
      ],
    });
  return list;
}

/** Cost of a contender before its first line. */
const startOf = ({ command, lines }: Contender, file: string): number =>
  lines === FEW ? 0 : median([1, 2, 3].map(() => spend(command(file), ENV).cpuSec));

function compare(title: string, contenders: readonly Contender[], file: string, one: string): void {
  const runs = spendInTurns(contenders, file, Number(values.rounds), ENV);
  const rows = contenders.map((contender) => {
    const all = runs.get(contender)!;
    const cpu = median(all.map(({ cpuSec }) => cpuSec));
    const start = startOf(contender, one);
    return {
      contender,
      rate: contender.lines / (cpu - start),
      whole: contender.lines / cpu,
      wall: median(all.map(({ wallSec }) => wallSec)),
      mib: median(all.map(({ peakMib }) => peakMib)),
    };
  });
  console.log(`### ${title}\n`);
  table(
    ['program', 'lines/s of processor time', 'the start included', 'pulse ÷', 'wall s', 'peak MiB'],
    rows.map(({ contender, rate, whole, wall, mib }) => [
      contender.name,
      Math.round(rate).toLocaleString('en'),
      Math.round(whole).toLocaleString('en'),
      (rows[0]!.rate / rate).toFixed(1),
      contender.lines === FEW ? '' : wall.toFixed(1),
      Math.round(mib).toString(),
    ]),
  );
}

const ENV = { PULSE_DATA_DIR: values['data-dir'] ?? path('data'), PULSE_FEEDS: 'off' };
if (values['data-dir'] === undefined) writeSyntheticGeo(ENV.PULSE_DATA_DIR);
try {
  for (const [name, draw] of Object.entries(DRAWS)) {
    if (values.addresses !== 'both' && values.addresses !== name) continue;
    for (const [form, write] of Object.entries(FORMS)) {
      if (form === 'ndjson' && name === 'distinct') continue;
      const file = `${name}.${form}`;
      const random = randomWords(20_261_122);
      const next = draw();
      await writeLines(path(file), LINES, (i) => write(next(random), i));
      spawnSync('sh', ['-c', `head -n 1 ${path(file)} > ${path(`one.${form}`)}`]);
      const contenders = form === 'combined' ? [pulse(1), pulse(2), ...peers()] : [pulse(1), pulse(2)];
      compare(
        `${LINES.toLocaleString('en')} lines, ${form}, ${name === 'zipf' ? 'Zipf addresses' : 'no address twice'}`,
        contenders,
        path(file),
        path(`one.${form}`),
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
