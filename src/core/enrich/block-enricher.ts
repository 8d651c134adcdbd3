import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import type { FieldPath } from '../fields/field-path.ts';
import { isTable, type LineLayout } from '../logs/line-layout.ts';
import { addDoubts, type LineReader } from '../logs/line-reader.ts';
import { makeLineReader } from '../logs/make-line-reader.ts';
import { type Conversion, conversionOf, headerOf, namesBeside, type OutputForm } from './conversion.ts';
import { cells } from './suffix-text.ts';
import type { Suffixes } from './verdict-suffixes.ts';

export interface EnrichPlan<Field extends string = FieldPath> {
  readonly layout: LineLayout;
  readonly fields: readonly Field[];
  readonly form: OutputForm;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface EnrichOutput {
  readonly bytes: Uint8Array;
  readonly memory: Uint8Array;
  readonly counts: EnrichCounts;
}

type MakeMemory = (size: number) => Uint8Array;

/**
 * Adds fields to the records of blocks, bytes to bytes: a record that keeps its form has only its address
 * decoded.
 */
export class BlockEnricher {
  readonly #plan: EnrichPlan<string>;
  readonly #reader: LineReader;
  readonly #suffixes: Suffixes;
  readonly #conversion: Conversion | undefined;
  /** A table row without an address gets empty cells, so that all rows have equally many. */
  readonly #emptyCells: Uint8Array;
  readonly #makeMemory: MakeMemory;
  #out: Uint8Array = new Uint8Array(0);
  #size = 0;
  /** Writing must end before the unread records, which begin here in `#out`. */
  #limit = 0;
  #enriched = 0;
  #refused = 0;

  constructor(plan: EnrichPlan<string>, suffixes: Suffixes, makeMemory: MakeMemory = (size) => new Uint8Array(size)) {
    this.#plan = plan;
    this.#suffixes = suffixes;
    this.#makeMemory = makeMemory;
    this.#reader = makeLineReader(plan.layout);
    this.#conversion = conversionOf(plan.layout, plan.form);
    const separator = this.#conversion?.format === 'csv' ? COMMA : plan.layout.separator;
    const isRow = this.#conversion === undefined ? isTable(plan.layout) : this.#conversion.format === 'csv';
    this.#emptyCells = encoder.encode(
      isRow
        ? cells(
            plan.fields.map(() => ''),
            separator,
          )
        : '',
    );
  }

  /**
   * @param block is copied @param isFirst whether the block begins the file
   * @param spare memory that may be used; larger memory is made if it is too small
   */
  enrich(block: Uint8Array, isFirst: boolean, spare?: Uint8Array): EnrichOutput {
    const size = SPARE * Math.ceil((ROOM * block.length) / SPARE + 1);
    let memory = spare !== undefined && spare.length >= size ? spare : this.#makeMemory(size);
    for (;;) {
      const done = this.#tryEnrich(block, isFirst, memory);
      if (done !== undefined) return done;
      memory = this.#makeMemory(2 * memory.length);
    }
  }

  #tryEnrich(block: Uint8Array, isFirst: boolean, memory: Uint8Array): EnrichOutput | undefined {
    this.#out = memory;
    this.#size = this.#enriched = this.#refused = 0;
    this.#limit = memory.length - block.length;
    memory.set(block, this.#limit);
    const input = memory.subarray(this.#limit);
    const from = isFirst ? this.#header(input) : 0;
    this.#reader.doubts = [];
    const records =
      this.#conversion === undefined ? this.#extend(input, from) : this.#convert(input, from, this.#conversion);
    if (records < 0) return undefined;
    const counts = {
      records,
      enriched: this.#enriched,
      refused: this.#refused,
      withoutAddress: records - this.#enriched - this.#refused,
      doubt: this.#reader.doubts,
    };
    return { bytes: memory.subarray(0, this.#size), memory, counts };
  }

  #header(input: Uint8Array): number {
    const { layout, fields } = this.#plan;
    const next = layout.header === undefined ? 0 : this.#reader.read(input, 0);
    if (this.#conversion !== undefined) {
      const { columns } = this.#conversion;
      if (columns !== undefined) this.#write(encoder.encode(`${headerOf(columns, fields)}\n`));
    } else if (next > 0) {
      const { end } = this.#reader;
      this.#keep(0, end);
      this.#write(encoder.encode(cells(namesBeside(layout.header ?? [], fields), layout.separator)));
      this.#keep(end, next);
    }
    return next;
  }

  /** @returns the number of records, as does `#convert`; -1 where there is no room */
  #extend(input: Uint8Array, start: number): number {
    const reader = this.#reader;
    const room = this.#limit;
    let records = 0;
    let kept = start;
    for (let from = start; from < input.length; ) {
      const next = reader.read(input, from);
      if (reader.hasAddress || !reader.isComment) records++;
      if (reader.hasAddress) {
        const number = this.#suffixes.numberOf(reader.address, reader);
        this.#keep(kept, reader.insertAt);
        kept = reader.insertAt;
        this.#addSuffix(number);
        if (next === from) {
          this.#write(LINE_END);
          kept = from;
        }
      } else if (this.#emptyCells.length > 0 && reader.end > from) {
        this.#keep(kept, reader.end);
        kept = reader.end;
        this.#write(this.#emptyCells);
      }
      // The next record must not be overwritten.
      if (this.#size > room + kept) return -1;
      from = next;
    }
    this.#keep(kept, input.length);
    return records;
  }

  #convert(input: Uint8Array, start: number, { head, tail }: Conversion): number {
    const reader = this.#reader;
    const ending = encoder.encode(`${tail}\n`);
    let records = 0;
    for (let from = start; from < input.length; ) {
      const next = reader.read(input, from);
      if (reader.hasAddress || !reader.isComment) records++;
      const begun = encoder.encode(head(decoder.decode(input.subarray(from, reader.end))));
      if (this.#size + begun.length + ending.length > this.#limit + next - SPARE / 2) return -1;
      this.#write(begun);
      if (reader.hasAddress) this.#addSuffix(this.#suffixes.numberOf(reader.address, reader));
      else this.#write(this.#emptyCells);
      this.#write(ending);
      from = next;
    }
    return records;
  }

  #addSuffix(number: number): void {
    const { store } = this.#suffixes;
    if (store.isRefused(number)) this.#refused++;
    else this.#enriched++;
    const from = store.starts[number]!;
    const length = store.starts[number + 1]! - from;
    const { bytes } = store;
    const out = this.#out;
    const size = this.#size;
    for (let i = 0; i < length; i++) out[size + i] = bytes[from + i]!;
    this.#size = size + length;
  }

  #keep(from: number, to: number): void {
    this.#out.copyWithin(this.#size, this.#limit + from, this.#limit + to);
    this.#size += to - from;
  }

  #write(bytes: Uint8Array): void {
    if (this.#size + bytes.length <= this.#out.length) this.#out.set(bytes, this.#size);
    this.#size += bytes.length;
  }
}

const COMMA = 44;
const LINE_END = Uint8Array.of(10);
/**
 * Memory is this multiple of the block, in steps of some bytes: blocks have nearly the same length and share
 * it.
 */
const ROOM = 3;
const SPARE = 256 * 1024;

export interface EnrichCounts {
  readonly records: number;
  readonly enriched: number;
  readonly refused: number;
  readonly withoutAddress: number;
  readonly doubt: readonly SummaryDoubt[];
}

export const NO_RECORDS: EnrichCounts = { records: 0, enriched: 0, refused: 0, withoutAddress: 0, doubt: [] };

export const addCounts = (a: EnrichCounts, b: EnrichCounts): EnrichCounts => ({
  records: a.records + b.records,
  enriched: a.enriched + b.enriched,
  refused: a.refused + b.refused,
  withoutAddress: a.withoutAddress + b.withoutAddress,
  doubt: addDoubts(a.doubt, b.doubt),
});
