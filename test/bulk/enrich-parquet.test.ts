/** Parquet in and out of `pulse enrich`, and into `pulse summarize`. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, type SchemaElement } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { ParquetFile } from '../../src/adapters/parquet/parquet-file.ts';
import { loadConfig } from '../../src/config.ts';
import type { EnrichOrder } from '../../src/main/bulk/enrich-order.ts';
import { runEnrich } from '../../src/main/bulk/run-enrich.ts';
import { runSummarize } from '../../src/main/bulk/run-summarize.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-parquet-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));
before(() => writeSyntheticGeo(dataDir));
const path = (name: string): string => join(dataDir, name);
const env = { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' };

const IPS = ['8.8.8.8', null, '2001:4860::1', '10.0.0.1', 'host.example', '8.8.8.8', ''];
const ROOT: SchemaElement = { name: 'root', repetition_type: 'REQUIRED' };
const element = (
  name: string,
  type: NonNullable<SchemaElement['type']>,
  more: Partial<SchemaElement> = {},
): SchemaElement => ({
  name,
  type,
  repetition_type: 'OPTIONAL',
  ...more,
});
interface Column {
  readonly schema: SchemaElement;
  readonly values: readonly unknown[];
}
const ADDRESSES: Column = { schema: element('peer', 'BYTE_ARRAY', { converted_type: 'UTF8' }), values: IPS };
const BIG = 2n ** 62n + 1n;
/** Columns that can be text too. */
const PLAIN: readonly Column[] = [
  { schema: element('id', 'INT64'), values: IPS.map((_, i) => (i === 2 ? null : BIG + BigInt(i))) },
  { schema: element('count', 'INT32', { converted_type: 'UINT_16' }), values: IPS.map((_, i) => i) },
  {
    schema: element('at', 'INT64', { logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' } }),
    values: IPS.map((_, i) => 1_795_334_400_000_001n + BigInt(i)),
  },
  { schema: element('day', 'INT32', { converted_type: 'DATE' }), values: IPS.map(() => 20_779) },
  { schema: element('rate', 'DOUBLE'), values: IPS.map((_, i) => i / 4) },
  { schema: element('ok', 'BOOLEAN'), values: IPS.map((_, i) => i % 2 === 0) },
];
const DECIMAL: Column = {
  schema: element('price', 'INT64', { converted_type: 'DECIMAL', precision: 18, scale: 2 }),
  values: IPS.map((_, i) => BIG + BigInt(i)),
};
const HASH: Column = {
  schema: element('hash', 'FIXED_LEN_BYTE_ARRAY', { type_length: 3 }),
  values: IPS.map((_, i) => Uint8Array.of(255, i, 128)),
};

/** A file of row groups of 3, 3 and 1 rows. */
function write(
  name: string,
  columns: readonly Column[],
  codec: 'SNAPPY' | 'GZIP' | 'ZSTD' | 'UNCOMPRESSED' = 'SNAPPY',
): string {
  const bytes = parquetWriteBuffer({
    columnData: columns.map(({ schema, values }): ColumnSource => ({ name: schema.name, data: [...values] })),
    schema: [{ ...ROOT, num_children: columns.length }, ...columns.map(({ schema }) => schema)],
    rowGroupSize: 3,
    codec,
    compressors: { GZIP: (input) => gzipSync(input), ZSTD: (input) => zstdCompressSync(input) },
    kvMetadata: [
      { key: 'writer', value: 'test' },
      { key: 'ARROW:schema', value: 'old columns' },
    ],
  });
  writeFileSync(path(name), Buffer.from(bytes));
  return path(name);
}

const order = (from: string, out: string, more: Partial<EnrichOrder> = {}): EnrichOrder => ({
  path: from,
  out: path(out),
  wishes: {},
  fields: ['risk.score', 'evidence_state', 'network.asn', 'geo.country', 'error.code'],
  form: 'same',
  moment: undefined,
  server: undefined,
  jobs: undefined,
  signal: new AbortController().signal,
  onProgress: () => {},
  onWait: () => {},
  ...more,
});
const run = (...args: Parameters<typeof order>) => runEnrich(loadConfig(env, 1), order(...args));

/** The bytes of the pages of the columns, row group by row group, as they lie in the file. */
async function pagesOf(file: string, columns: number): Promise<readonly string[]> {
  const bytes = readFileSync(file);
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  return row_groups.flatMap((group) =>
    group.columns.slice(0, columns).map(({ meta_data: meta }) => {
      const from = Number(meta!.dictionary_page_offset ?? meta!.data_page_offset);
      return bytes.subarray(from, from + Number(meta!.total_compressed_size)).toString('hex');
    }),
  );
}

const ADDED = [
  { 'risk.score': 0, evidence_state: 'none', 'network.asn': 15169n, 'geo.country': 'US' },
  {},
  { 'risk.score': 0, evidence_state: 'none', 'network.asn': 15169n, 'geo.country': 'US' },
  { 'error.code': 'reserved_ip' },
  {},
  { 'risk.score': 0, evidence_state: 'none', 'network.asn': 15169n, 'geo.country': 'US' },
  {},
];
const present = (row: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value != null));

for (const codec of ['SNAPPY', 'GZIP', 'ZSTD', 'UNCOMPRESSED'] as const)
  test(`columns are added and all others keep their bytes, types and row groups: ${codec}`, async () => {
    const columns = [ADDRESSES, ...PLAIN, DECIMAL, HASH];
    const from = write(`${codec}.parquet`, columns, codec);
    const out = `${codec}-risk.parquet`;
    const { records, enriched, refused, withoutAddress, format } = await run(from, out);
    assert.deepEqual(
      { records, enriched, refused, withoutAddress, format },
      { records: 7, enriched: 3, refused: 1, withoutAddress: 3, format: 'parquet' },
    );
    assert.deepEqual(await pagesOf(path(out), columns.length), await pagesOf(from, columns.length));
    const file = await asyncBufferFromFile(path(out));
    const [before, now] = [
      await parquetMetadataAsync(await asyncBufferFromFile(from)),
      await parquetMetadataAsync(file),
    ];
    assert.deepEqual(now.schema.slice(1, columns.length + 1), before.schema.slice(1));
    assert.deepEqual(
      now.schema.slice(columns.length + 1).map(({ name, type }) => [name, type]),
      [
        ['risk.score', 'INT32'],
        ['evidence_state', 'BYTE_ARRAY'],
        ['network.asn', 'INT64'],
        ['geo.country', 'BYTE_ARRAY'],
        ['error.code', 'BYTE_ARRAY'],
      ],
    );
    assert.deepEqual(
      now.row_groups.map(({ num_rows }) => num_rows),
      [3n, 3n, 1n],
    );
    assert.deepEqual(now.key_value_metadata, [{ key: 'writer', value: 'test' }]);
    const again = await ParquetFile.open(path(out), new AbortController().signal);
    const added = await again.read(Object.keys({ ...ADDED[0], ...ADDED[3] }), { start: 0, end: 7 });
    const old = await again.read(
      PLAIN.map(({ schema }) => schema.name),
      { start: 0, end: 7 },
    );
    await again.close();
    assert.deepEqual(
      IPS.map((_, row) =>
        present(Object.fromEntries(Object.keys({ ...ADDED[0], ...ADDED[3] }).map((name, i) => [name, added[i]![row]]))),
      ),
      ADDED,
    );
    assert.deepEqual(
      old.map((values) => values.map((value) => value ?? null)),
      PLAIN.map(({ values }) => values),
    );
  });

test('a column with members, and one of whole numbers of the newer kind, stay as they are', async () => {
  const name = 'nested.parquet';
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'ip', data: ['8.8.8.8', '5.5.5.5'] },
      { name: 'tags', data: [['a', 'b'], []] },
      { name: 'small', data: [1, 2] },
    ],
    schema: [
      { ...ROOT, num_children: 3 },
      element('ip', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
      { name: 'tags', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      element('element', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
      element('small', 'INT32', { logical_type: { type: 'INTEGER', bitWidth: 8, isSigned: true } }),
    ],
  });
  writeFileSync(path(name), Buffer.from(bytes));
  await run(path(name), 'nested-risk.parquet', { fields: ['geo.country'] });
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(path('nested-risk.parquet')) });
  assert.deepEqual(
    rows.map(({ ip, tags, small, 'geo.country': country }) => ({ ip, tags, small, country })),
    [
      { ip: '8.8.8.8', tags: ['a', 'b'], small: 1, country: 'US' },
      { ip: '5.5.5.5', tags: [], small: 2, country: 'DE' },
    ],
  );
  assert.equal(
    (await parquetMetadataAsync(await asyncBufferFromFile(path('nested-risk.parquet')))).schema.at(-2)!.converted_type,
    'INT_8',
  );
  await assert.rejects(
    run(path(name), 'nested.csv', { form: 'csv' }),
    /"tags" is of a type that cannot be written as text/,
  );
});

test('as text, all digits stay', async () => {
  const from = write('plain.parquet', [ADDRESSES, ...PLAIN]);
  await run(from, 'plain.csv', { form: 'csv', fields: ['geo.country'] });
  const csv = readFileSync(path('plain.csv'), 'utf8').split('\n');
  assert.equal(csv[0], 'peer,id,count,at,day,rate,ok,geo.country');
  assert.equal(csv[1], '8.8.8.8,4611686018427387905,0,2026-11-22T08:00:00.000001Z,2026-11-22,0,true,US');
  assert.equal(csv[2], ',4611686018427387906,1,2026-11-22T08:00:00.000002Z,2026-11-22,0.25,false,');
  assert.equal(csv.length, 9);
  await run(from, 'plain.ndjson', { form: 'ndjson', fields: ['geo.country'] });
  assert.equal(
    readFileSync(path('plain.ndjson'), 'utf8').split('\n')[2],
    '{"peer":"2001:4860::1","id":null,"count":2,"at":"2026-11-22T08:00:00.000003Z","day":"2026-11-22","rate":0.5,"ok":true,"pulse":{"geo":{"country":"US"}}}',
  );
  const late = {
    schema: element('client.ip', 'BYTE_ARRAY', { converted_type: 'UTF8' }),
    values: [...Array.from({ length: 1500 }, () => null), '8.8.8.8'],
  };
  const { enriched } = await run(write('late.parquet', [late]), 'late.ndjson', {
    form: 'ndjson',
    wishes: { field: 'client.ip' },
  });
  assert.equal(enriched, 1);
  const summary = await runSummarize(loadConfig(env, 1), {
    path: from,
    wishes: {},
    moment: undefined,
    top: 5,
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  assert.deepEqual([summary.lines.total, summary.lines.judged, summary.time?.bucket_ms], [7, 3, 3_600_000]);
});

test('what cannot be kept or written is refused by name, and the old file stays', async () => {
  const from = write('refused.parquet', [ADDRESSES, DECIMAL, HASH]);
  writeFileSync(path('old'), 'old');
  const rows: readonly (readonly [Partial<EnrichOrder>, RegExp])[] = [
    [{ form: 'csv' }, /"price" is of a type that cannot be written as text/],
    [{ form: 'ndjson' }, /"price"/],
    [{ wishes: { field: 'hash' } }, /"hash" is not text/],
    [{ wishes: { field: 'none' } }, /no column "none"/],
    [{ wishes: { format: 'csv' } }, /leave --format out/],
    [{ path: path('SNAPPY-risk.parquet') }, /a column "risk.score" already/],
  ];
  for (const [more, message] of rows) await assert.rejects(run(from, 'old', more), message);
  const bytes = readFileSync(from);
  writeFileSync(path('cut.parquet'), bytes.subarray(0, bytes.length - 20));
  await assert.rejects(run(path('cut.parquet'), 'old'), /cut\.parquet cannot be read as Parquet/);
  const damaged = Buffer.from(bytes).fill(0, 4, 60);
  writeFileSync(path('damaged.parquet'), damaged);
  await assert.rejects(run(path('damaged.parquet'), 'old'));
  assert.equal(readFileSync(path('old'), 'utf8'), 'old');
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('the command knows Parquet by its content, and refuses what is packed', async () => {
  const from = write('command.bin', [ADDRESSES]);
  const { status, stderr } = pulseCommand(
    ['enrich', from, '--fields', 'geo.country', '--json', '--out', path('command.parquet')],
    { env, input: '' },
  );
  assert.equal(status, 0, stderr);
  const { records, format } = JSON.parse(stderr) as { readonly records: number; readonly format: string };
  assert.deepEqual(
    [records, format, readFileSync(path('command.parquet')).toString('latin1', 0, 4)],
    [7, 'parquet', 'PAR1'],
  );
  writeFileSync(path('packed.gz'), gzipSync(readFileSync(from)));
  await assert.rejects(run(path('packed.gz'), 'packed.parquet'), /cannot be read from a pipe or packed/);
});

test('a damaged file that has the decoder loop ends with the signal, or with a sentence after a time; the file to be written stays', async () => {
  const looping = join(import.meta.dirname, '../fuzz/corpus/parquet/levels-loop.bin');
  writeFileSync(path('kept.parquet'), 'old');
  const stop = new AbortController();
  const stopped = new Error('stopped by the test');
  const before = process.resourceUsage().userCPUTime;
  const started = (async () => {
    // By then the thread is at the page that it never leaves.
    await eventually(() => process.resourceUsage().userCPUTime - before > 1_500_000);
    stop.abort(stopped);
  })();
  await assert.rejects(
    runEnrich(loadConfig(env, 1), { ...order(looping, 'kept.parquet'), signal: stop.signal }),
    stopped,
  );
  await started;
  const file = await ParquetFile.open(looping, new AbortController().signal, 200);
  await assert.rejects(
    file.read(['peer'], [...file.groups()][0]!),
    /the Parquet file is damaged: one part of it took longer than 0\.2 s/,
  );
  await file.close();
  assert.equal(readFileSync(path('kept.parquet'), 'utf8'), 'old');
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('a footer whose numbers do not fit together is refused', async () => {
  const { bytes, at } = footerOf(write('rows.parquet', [ADDRESSES]));
  for (let i = at; i < bytes.length - 8; i++) {
    // The counts of rows of the groups and of the file are zigzag numbers of one byte: 3 is 6, 7 is 14.
    if (bytes[i] !== 14) continue;
    const broken = Buffer.from(bytes);
    broken[i] = 12;
    writeFileSync(path('broken.parquet'), broken);
    const opened = await ParquetFile.open(path('broken.parquet'), new AbortController().signal).catch(
      (error: Error) => error,
    );
    if (opened instanceof Error && /another number of rows/.test(opened.message)) return;
    if (opened instanceof ParquetFile) await opened.close();
  }
  assert.fail('no byte of the footer is the number of rows');
});

function footerOf(file: string): { readonly bytes: Buffer; readonly at: number } {
  const bytes = readFileSync(file);
  return { bytes, at: bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8) };
}
