/**
 * `pulse enrich` over a Parquet file against a script that reads the same file with hyparquet and writes it again with hyparquet-writer: the pace of the format without a verdict.
 * Processor time, start included and taken off. Needs GNU time.
 *
 *   node bench/parquet.ts [--data-dir DIR] [--rows 1000000] [--rounds 3]
 *
 * DIR is a data folder whose data was built (`pulse data build`); without it the service stands on the small synthetic world of the tests. Addresses come by Zipf's law from a pool of 200,000.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parquetWriteFile } from 'hyparquet-writer';
import { formatAddress } from '../src/core/ip/format-address.ts';
import { randomWords } from '../test/support/random.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import { ROOT } from './peers/http-load.ts';
import { table } from './peers/measure.ts';

const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
  },
});
const ROWS = Number(values.rows);
const POOL = 200_000;
const folder = mkdtempSync(join(tmpdir(), 'pulse-bench-parquet-'));
const path = (name: string): string => join(folder, name);

/** Reads all columns of each row group and writes them again. */
const COPY = `
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from ${JSON.stringify(join(ROOT, 'node_modules/hyparquet/src/node.js'))};
import { fileWriter } from ${JSON.stringify(join(ROOT, 'node_modules/hyparquet-writer/src/node.js'))};
import { ParquetWriter } from ${JSON.stringify(join(ROOT, 'node_modules/hyparquet-writer/src/index.js'))};
const file = await asyncBufferFromFile(process.argv[2]);
const metadata = await parquetMetadataAsync(file);
const writer = new ParquetWriter({ writer: fileWriter(process.argv[3]), schema: metadata.schema });
let rowStart = 0;
for (const { num_rows } of metadata.row_groups) {
  const rowEnd = rowStart + Number(num_rows);
  const columns = new Map();
  const onChunk = ({ columnName, columnData }) => columns.set(columnName, [...(columns.get(columnName) ?? []), ...columnData]);
  await parquetRead({ file, metadata, rowStart, rowEnd, onChunk });
  const columnData = metadata.schema.slice(1).map(({ name }) => ({ name, data: columns.get(name) }));
  await writer.write({ columnData, rowGroupSize: rowEnd - rowStart });
  rowStart = rowEnd;
}
await writer.finish();
`;

function writeFile(name: string, rows: number): void {
  const random = randomWords(20_261_122);
  const pool = Array.from({ length: POOL }, () => formatAddress({ family: 4, w0: random(), w1: 0, w2: 0, w3: 0 }));
  const every = <Value>(make: (i: number) => Value): Value[] => Array.from({ length: rows }, (_, i) => make(i));
  const ips = every(() => pool[Math.floor(POOL ** (random() / 2 ** 32)) - 1]!);
  parquetWriteFile({
    filename: path(name),
    rowGroupSize: 100_000,
    columnData: [
      { name: 'time', data: every((i) => new Date(1_795_334_400_000 + i)), type: 'TIMESTAMP' },
      { name: 'client_ip', data: ips, type: 'STRING' },
      { name: 'method', data: every((i) => (i % 9 === 0 ? 'POST' : 'GET')), type: 'STRING' },
      { name: 'path', data: every((i) => `/articles/${i % 1000}?page=${i % 7}`), type: 'STRING' },
      { name: 'status', data: every(() => 200), type: 'INT32' },
      { name: 'bytes', data: every((i) => 5316 + (i % 999)), type: 'INT32' },
      {
        name: 'agent',
        data: every((i) => `Mozilla/5.0 (X11; Linux x86_64; rv:${i % 40}.0) Gecko/20100101 Firefox/${i % 40}.0`),
        type: 'STRING',
      },
    ],
  });
}

interface Run {
  readonly cpu: number;
  readonly mib: number;
}

/** @throws Error when the command fails */
function measure(command: readonly string[]): Run {
  const report = path('time.txt');
  const { status, stderr } = spawnSync('/usr/bin/time', ['-o', report, '-f', '%U %S %M', ...command], {
    encoding: 'utf8',
    env: { ...process.env, ...ENV },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  const [user, system, kib] = readFileSync(report, 'utf8').trim().split(/\s+/).map(Number) as [number, number, number];
  return { cpu: user + system, mib: kib / 1024 };
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
const pulse = (file: string, ...more: readonly string[]): readonly string[] => [
  process.execPath, join(ROOT, 'src/cli/main.ts'), 'enrich', path(file), '--jobs', '1', '--out', path('out'), ...more,
]; // biome-ignore format: one command
const CONTENDERS: Readonly<Record<string, (part: string) => readonly string[]>> = {
  'pulse enrich, Parquet to Parquet': (part) => pulse(`${part}.parquet`),
  'pulse enrich, Parquet to NDJSON': (part) => pulse(`${part}.parquet`, '--output', 'ndjson'),
  'hyparquet and hyparquet-writer, read and written again': (part) => [
    process.execPath,
    path('copy.mjs'),
    path(`${part}.parquet`),
    path('out'),
  ],
};

const ENV = { PULSE_DATA_DIR: values['data-dir'] ?? path('data'), PULSE_FEEDS: 'off' };
try {
  if (values['data-dir'] === undefined) writeSyntheticGeo(ENV.PULSE_DATA_DIR);
  writeFileSync(path('copy.mjs'), COPY);
  writeFile('whole.parquet', ROWS);
  writeFile('one.parquet', 1);
  const runs = new Map(Object.keys(CONTENDERS).map((name) => [name, [] as Run[]]));
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [name, command] of Object.entries(CONTENDERS)) {
      const start = measure(command('one')).cpu;
      const { cpu, mib } = measure(command('whole'));
      runs.get(name)!.push({ cpu: cpu - start, mib });
    }
  console.log(
    `### ${ROWS.toLocaleString('en')} rows, ${Math.round(statSync(path('whole.parquet')).size / 1024 / 1024)} MiB\n`,
  );
  table(
    ['program', 'rows/s of processor time', 'peak MiB'],
    [...runs].map(([name, all]) => [
      name,
      Math.round(ROWS / median(all.map(({ cpu }) => cpu))).toLocaleString('en'),
      Math.round(median(all.map(({ mib }) => mib))).toString(),
    ]),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
