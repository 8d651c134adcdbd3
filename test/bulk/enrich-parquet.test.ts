/** Parquet into `pulse enrich` and `pulse summarize`. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openParquet } from '../../src/adapters/parquet/open-parquet.ts';
import { loadConfig } from '../../src/config.ts';
import type { EnrichOrder } from '../../src/main/bulk/enrich-order.ts';
import { runEnrich } from '../../src/main/bulk/run-enrich.ts';
import { runSummarize } from '../../src/main/bulk/run-summarize.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('parquet');
before(() => writeSyntheticGeo(dataDir));
const path = (name: string): string => join(dataDir, name);
const env = { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' };
const kept = (name: string): string => join(import.meta.dirname, 'damaged', `${name}.bin`);

const IPS = ['8.8.8.8', null, '2001:4860::1', '10.0.0.1', 'host.example', '8.8.8.8', ''];
const BIG = 2n ** 62n + 1n;
const element = (name: string, type?: SchemaElement['type'], more: Partial<SchemaElement> = {}): SchemaElement => ({
  name,
  repetition_type: 'OPTIONAL',
  ...(type !== undefined && { type }),
  ...more,
});
/** Each column with its part of the schema. */
const COLUMNS: readonly (readonly [schema: readonly SchemaElement[], values: readonly unknown[]])[] = [
  [[element('peer', 'BYTE_ARRAY', { converted_type: 'UTF8' })], IPS],
  [[element('id', 'INT64')], IPS.map((_, i) => (i === 2 ? null : BIG + BigInt(i)))],
  [[element('big', 'INT64', { converted_type: 'UINT_64' })], IPS.map((_, i) => (i === 2 ? null : 2n ** 64n - 1n))],
  [
    [element('at', 'INT64', { logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } })],
    IPS.map((_, i) => (i === 1 ? 2n ** 63n - 1n : 1_795_334_400_000_001n + BigInt(i))),
  ],
  [[element('day', 'INT32', { converted_type: 'DATE' })], IPS.map(() => 20_779)],
  [[element('rate', 'DOUBLE')], IPS.map((_, i) => i / 4)],
  [[element('ok', 'BOOLEAN')], IPS.map((_, i) => i % 2 === 0)],
  [[element('hash', 'FIXED_LEN_BYTE_ARRAY', { type_length: 3 })], IPS.map((_, i) => Uint8Array.of(255, i, 128))],
  [
    [
      element('tags', undefined, { num_children: 1, converted_type: 'LIST' }),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      element('element', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
    ],
    IPS.map((_, i) => (i === 0 ? ['a', 'b'] : [])),
  ],
];

/** A file of row groups of 3, 3 and 1 rows. */
function write(name: string, codec: 'SNAPPY' | 'GZIP' | 'ZSTD' | 'UNCOMPRESSED' = 'SNAPPY', columns = COLUMNS): string {
  const bytes = parquetWriteBuffer({
    columnData: columns.map(([[schema], values]) => ({ name: schema!.name, data: [...values] })),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flatMap(([schema]) => schema)],
    rowGroupSize: 3,
    codec,
    compressors: { GZIP: (input) => gzipSync(input), ZSTD: (input) => zstdCompressSync(input) },
  });
  writeFileSync(path(name), Buffer.from(bytes));
  return path(name);
}

const run = (from: string, out: string, more: Partial<EnrichOrder> = {}) =>
  runEnrich(loadConfig(env, 1), {
    summarizes: false,
    path: from,
    out: path(out),
    wishes: {},
    allowPartial: true,
    fields: ['geo.country'],
    form: 'ndjson',
    moment: undefined,
    server: undefined,
    jobs: undefined,
    signal: new AbortController().signal,
    onProgress: () => {},
    onWait: () => {},
    ...more,
  });

for (const codec of ['SNAPPY', 'GZIP', 'ZSTD', 'UNCOMPRESSED'] as const)
  test(`rows become objects with all digits, and the verdict: ${codec}`, async () => {
    const { records, enriched, refused, withoutAddress, format } = await run(write(codec, codec), `${codec}.ndjson`);
    assert.deepEqual(
      { records, enriched, refused, withoutAddress, format },
      { records: 7, enriched: 3, refused: 1, withoutAddress: 3, format: 'parquet' },
    );
    const lines = readFileSync(path(`${codec}.ndjson`), 'utf8').split('\n');
    assert.equal(
      lines[0],
      '{"peer":"8.8.8.8","id":4611686018427387905,"big":18446744073709551615,"at":"2026-11-22T08:00:00.000001Z","day":"2026-11-22","rate":0,"ok":true,"hash":"ff0080","tags":["a","b"],"pulse":{"geo":{"country":"US"}}}',
    );
    assert.equal(
      lines[2],
      '{"peer":"2001:4860::1","id":null,"big":null,"at":"2026-11-22T08:00:00.000003Z","day":"2026-11-22","rate":0.5,"ok":true,"hash":"ff0280","tags":[],"pulse":{"geo":{"country":"US"}}}',
    );
    assert.equal(lines.length, 8);
  });

test('rows become a table, and lines of a summary', async () => {
  const from = write('rows.parquet');
  await run(from, 'rows.csv', { form: 'csv' });
  assert.deepEqual(readFileSync(path('rows.csv'), 'utf8').split('\n').slice(0, 3), [
    'peer,id,big,at,day,rate,ok,hash,tags,geo.country',
    '8.8.8.8,4611686018427387905,18446744073709551615,2026-11-22T08:00:00.000001Z,2026-11-22,0,true,ff0080,"[""a"",""b""]",US',
    // A time that no calendar date names.
    ',4611686018427387906,18446744073709551615,9223372036854775807,2026-11-22,0.25,false,ff0180,[],',
  ]);
  const summary = await runSummarize(loadConfig(env, 1), {
    path: from,
    wishes: {},
    moment: undefined,
    allowPartial: true,
    onUnread: () => {},
    top: 5,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  assert.deepEqual([summary.lines.total, summary.lines.judged, summary.time?.bucket_ms], [7, 3, 3_600_000]);
});

test('a file that cannot be read, or an order for Parquet, is a sentence, and the old file stays', async () => {
  const from = write('whole.parquet');
  const bytes = readFileSync(from);
  writeFileSync(path('old'), 'old');
  writeFileSync(path('cut.parquet'), bytes.subarray(0, bytes.length - 20));
  writeFileSync(path('damaged.parquet'), Buffer.from(bytes).fill(0, 4, 60));
  writeFileSync(path('packed.gz'), gzipSync(bytes));
  // The counts of rows in the footer are zigzag numbers of one byte: 7 is 14, of the file; 3 is 6, of a group.
  const groups = bytes.indexOf(Buffer.from([0x16, 6]), bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8));
  const more = Buffer.from(bytes);
  assert.ok(groups > 0);
  for (let at = groups; at > 0 && at < bytes.length - 8; at = bytes.indexOf(Buffer.from([0x16, 6]), at + 1))
    more[at + 1] = 60;
  writeFileSync(path('more.parquet'), more);
  const rows: readonly (readonly [path: string, more: Partial<EnrichOrder>, message: RegExp])[] = [
    [from, { form: 'same' }, /add --output ndjson or --output csv/],
    [from, { wishes: { format: 'csv' } }, /leave --format out/],
    [from, { form: 'csv', wishes: { field: 'none' } }, /no column "none"/],
    [path('cut.parquet'), {}, /cut\.parquet cannot be read as Parquet/],
    [path('damaged.parquet'), {}, /damaged\.parquet cannot be read as Parquet/],
    [path('more.parquet'), {}, /the column "\w+" has fewer values than rows/],
    [path('packed.gz'), {}, /cannot be read from a pipe or packed/],
    [path('none.parquet'), {}, /ENOENT/],
  ];
  for (const [file, order, message] of rows) await assert.rejects(run(file, 'old', order), message);
  assert.equal(readFileSync(path('old'), 'utf8'), 'old');
  assert.ok(!readdirSync(dataDir).some((name) => name.endsWith('.part')));
});

test('the command knows Parquet by its content, and ends when its output cannot be written', () => {
  const from = write('command.bin');
  const enrich = (...more: readonly string[]) => pulseCommand(['enrich', from, ...more], { env, input: '' });
  const { status, stderr } = enrich('--output', 'csv', '--json', '--out', path('command.csv'));
  assert.equal(status, 0, stderr);
  assert.match(stderr, /"records":7.*"format":"parquet"/);
  for (const more of [
    ['--out', path('command.parquet')],
    ['--output', 'csv', '--out', dataDir],
  ])
    assert.match(enrich(...more).stderr, /add --output ndjson|is a folder/);
});

test('a damaged file that fills the memory ends its decoder alone', () => {
  const { status, stderr } = pulseProcess(['summarize', kept('run-length-grows')], {
    env: { ...env, NODE_OPTIONS: '--max-old-space-size=256' },
  });
  assert.equal(status, 1);
  assert.match(stderr, /run-length-grows\.bin cannot be read as Parquet: a row group takes more memory than \d+ MiB/);
});

test('a damaged file that has the decoder loop ends with the signal, or with a sentence after a time', async () => {
  const stop = new AbortController();
  const stopped = new Error('stopped by the test');
  const ended = run(kept('levels-loop'), 'loop.ndjson', { signal: stop.signal });
  ended.catch(() => undefined);
  const decoders = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
  await eventually(() => decoders() === 1);
  stop.abort(stopped);
  await assert.rejects(ended, stopped);
  for (const name of ['levels-loop', 'page-header-loops', 'page-size-loops']) {
    const { chunks } = await openParquet(kept(name), 'csv', new AbortController().signal, 200);
    await assert.rejects(Array.fromAsync(chunks), /one row group took longer than 0\.2 s/, name);
  }
  await eventually(() => decoders() === 0);
});
