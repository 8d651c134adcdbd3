import { type LayerRecord, layerRecord, type RawRecord } from '../../core/place/layer-record.ts';

/** Distinct records of a file, numbered from 1; equal content gets one number. */
export class RecordTable {
  readonly records: (LayerRecord | undefined)[] = [undefined];
  readonly #byContent = new Map<string, number>();

  /** The same for fields that the file itself holds once: a number of its own, without asking whether another record says as much. */
  append(raw: RawRecord): number {
    const record = layerRecord(raw);
    return record === undefined ? 0 : this.records.push(record) - 1;
  }

  /** Number of the record these fields make; 0 when they say nothing. */
  add(raw: RawRecord): number {
    const record = layerRecord(raw);
    if (record === undefined) return 0;
    // Fields come in one order, so equal records have equal texts.
    const key = JSON.stringify(record);
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    this.#byContent.set(key, this.records.length);
    return this.records.push(record) - 1;
  }
}
