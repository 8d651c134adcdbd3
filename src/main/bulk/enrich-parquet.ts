import { OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';
import { addressColumn } from '../../adapters/parquet/address-column.ts';
import { type AddedColumn, ExtendedParquet } from '../../adapters/parquet/extended-parquet.ts';
import { ParquetFile } from '../../adapters/parquet/parquet-file.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import { addCounts, type EnrichCounts, NO_RECORDS } from '../../core/enrich/enrich-counts.ts';
import type { FieldPath } from '../../core/fields/field-path.ts';
import { fieldText, fieldValue } from '../../core/fields/field-value.ts';
import type { LineLayout } from '../../core/logs/line-layout.ts';
import type { EnrichOrder, EnrichReport } from './enrich-order.ts';
import type { Enricher } from './enrich-threads.ts';
import { openEnricher } from './open-enricher.ts';
import { checkWishes } from './open-records.ts';

/** Each address is enriched as an object of its own. */
const LAYOUT: LineLayout = { format: 'ndjson', address: ['a'], time: undefined, separator: 0, header: undefined };
/** Rows that are enriched together. */
const ROWS = 50_000;

/**
 * Adds a column for each field to a Parquet file, row group by row group. All other columns stay byte for byte as they are.
 * @throws Error that names the column that cannot be kept, or as `runEnrich` does
 */
export async function enrichParquet(config: Config, order: EnrichOrder): Promise<EnrichReport> {
  checkWishes(order.wishes);
  const file = await ParquetFile.open(order.path, order.signal);
  const output = await openOutput(order.out);
  try {
    const address = await addressColumn(file, order.wishes.field);
    const extended = await ExtendedParquet.begin(file, order.fields.map(columnOf), output);
    const now = systemClock.now();
    const { enricher, lacksEvidence } = await openEnricher(
      config,
      { ...order, jobs: 1 },
      { layout: LAYOUT, fields: order.fields, form: 'same' },
      now,
    );
    try {
      const counts = await enrichGroups({ file, extended, enricher, address, order });
      await output.finish();
      return { ...counts, format: 'parquet', moment: order.moment ?? now, degraded: lacksEvidence() };
    } finally {
      await enricher.close();
    }
  } catch (error) {
    await output.abandon();
    throw error;
  } finally {
    await file.close();
  }
}

/** Numbers and truth values are columns of their kind; all else is text, lists as `a|b`. */
const KINDS: Partial<Record<FieldPath, AddedColumn['kind']>> = {
  'risk.score': 'int32',
  'network.asn': 'int64',
  'geo.lat': 'double',
  'geo.lon': 'double',
  degraded: 'boolean',
};
const columnOf = (name: FieldPath): AddedColumn => ({ name, kind: KINDS[name] ?? 'text' });

interface Groups {
  readonly file: ParquetFile;
  readonly extended: ExtendedParquet;
  readonly enricher: Enricher;
  /** Name of the column with the addresses. */
  readonly address: string;
  readonly order: EnrichOrder;
}

async function enrichGroups({
  file,
  extended,
  enricher,
  address,
  order: { fields, signal, onProgress },
}: Groups): Promise<EnrichCounts> {
  let counts = NO_RECORDS;
  const values = new FieldColumns(fields);
  try {
    for (const group of file.groups()) {
      const [addresses] = await file.read([address], group);
      for (let from = 0; from < addresses!.length; from += ROWS) {
        signal.throwIfAborted();
        const { bytes, counts: more } = await enricher.enrich(
          objectsOf(addresses!.slice(from, from + ROWS)),
          counts.records === 0,
        );
        values.take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
        counts = addCounts(counts, more);
        onProgress({ records: counts.records, share: counts.records / file.rows });
      }
      await extended.write(group, values.drain());
    }
    await extended.finish();
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
  }
  return counts;
}

const objectsOf = (addresses: readonly unknown[]): Uint8Array =>
  Buffer.from(addresses.map((one) => (typeof one === 'string' ? `{"a":${JSON.stringify(one)}}\n` : '{}\n')).join(''));

/** What was added to an object begins here; no address has it. */
const ADDED = ',"pulse":';

/** Values of the fields of rows, as columns. */
class FieldColumns {
  readonly #fields: readonly FieldPath[];
  #columns: unknown[][];
  /** Values by the text they were read from: many addresses share one. */
  readonly #known = new Map<string, readonly unknown[]>();
  readonly #none: readonly unknown[];

  constructor(fields: readonly FieldPath[]) {
    this.#fields = fields;
    this.#none = fields.map(() => null);
    this.#columns = fields.map(() => []);
  }

  /** @param lines enriched objects */
  take(lines: string): void {
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf('\n', from);
      const line = lines.slice(from, end);
      const added = line.indexOf(ADDED);
      const values = added < 0 ? this.#none : this.#read(line.slice(added + ADDED.length, -1));
      for (let i = 0; i < values.length; i++) this.#columns[i]!.push(values[i]);
      from = end + 1;
    }
  }

  /** The columns since the last call. */
  drain(): readonly (readonly unknown[])[] {
    const columns = this.#columns;
    this.#columns = this.#fields.map(() => []);
    return columns;
  }

  #read(text: string): readonly unknown[] {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const document = JSON.parse(text) as object;
    const values = this.#fields.map((field) => cellValue(document, field));
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(text, values);
    return values;
  }
}
const KNOWN_MAX = 100_000;

function cellValue(document: object, field: FieldPath): unknown {
  const value = fieldValue(document, field);
  if (value === undefined) return null;
  const kind = KINDS[field];
  if (kind === 'int64') return BigInt(value as number);
  return kind === undefined ? fieldText(value) : value;
}
