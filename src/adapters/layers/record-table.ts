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
    const key = contentOf(record);
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    this.#byContent.set(key, this.records.length);
    return this.records.push(record) - 1;
  }
}

/** Equal for equal records alone: fields in their places, names with their lengths before them, since a file may put any character into a name. */
const contentOf = ({
  country,
  region,
  city,
  district,
  adminCode,
  point,
  tz,
  asn,
  usage,
  hosting,
  mobile,
}: LayerRecord): string =>
  `${country ?? ''} ${sized(region)}${sized(city)}${sized(district)}${adminCode ?? ''} ${point?.[0] ?? ''} ${point?.[1] ?? ''} ${tz ?? ''} ${asn ?? ''} ${sized(usage)}${hosting ?? ''} ${mobile ?? ''}`;

const sized = (name: string | undefined): string => (name === undefined ? '- ' : `${name.length} ${name}`);
