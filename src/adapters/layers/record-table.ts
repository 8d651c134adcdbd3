import { type LayerRecord, layerRecord, type RawRecord } from '../../core/place/layer-record.ts';

/** Distinct records of a file, numbered from 1; equal content gets one number. */
export class RecordTable {
  readonly records: (LayerRecord | undefined)[] = [undefined];
  readonly #byContent = new Map<string, number>();

  /** Number of the record these fields make; 0 when they say nothing. */
  add(raw: RawRecord): number {
    const record = layerRecord(raw);
    if (record === undefined) return 0;
    const key = JSON.stringify(record);
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    this.#byContent.set(key, this.records.length);
    return this.records.push(record) - 1;
  }
}
