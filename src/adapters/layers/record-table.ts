import { unknownCountry } from '../../core/place/country-code.ts';
import type { LeftOutOfLayer } from '../../core/place/layer-reading.ts';
import { type LayerRecord, layerRecord, type RawRecord } from '../../core/place/layer-record.ts';

const TEXTS_MAX = 100;

class StrangeCountries {
  readonly counts = new Map<string, number>();
  total = 0;

  note(country: unknown): void {
    const text = unknownCountry(country);
    if (text === undefined) return;
    this.total++;
    const key = this.counts.has(text) || this.counts.size < TEXTS_MAX ? text : '…';
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

/** Numbers the distinct records of a file from 1; equal content gets one number. */
export class RecordTable {
  readonly records: (LayerRecord | undefined)[] = [undefined];
  readonly strangeCountries = new StrangeCountries();
  readonly #byContent = new Map<string, number>();

  /** Gives the fields a number of their own without a search, because the file holds them only once. */
  append(raw: RawRecord): number {
    const record = this.#read(raw);
    return record === undefined ? 0 : this.records.push(record) - 1;
  }

  add(raw: RawRecord): number {
    const record = this.#read(raw);
    if (record === undefined) return 0;
    const key = JSON.stringify(record);
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    this.#byContent.set(key, this.records.length);
    return this.records.push(record) - 1;
  }

  finish(leftOutRows = 0): {
    readonly records: readonly (LayerRecord | undefined)[];
    readonly leftOut: LeftOutOfLayer;
  } {
    return { records: this.records, leftOut: { rows: leftOutRows, countries: this.strangeCountries.counts } };
  }

  #read(raw: RawRecord): LayerRecord | undefined {
    this.strangeCountries.note(raw.country);
    return layerRecord(raw);
  }
}
