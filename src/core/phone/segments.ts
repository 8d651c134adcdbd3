import type { CardFacts } from './entry.ts';

/** First line of the segment file (scripts/tables/phone-segments.ts). */
export interface SegmentHeader {
  readonly version: string;
  readonly licence: string;
  readonly first: number;
  readonly count: number;
  /** Segments with a known place. */
  readonly records: number;
  /** Province (ISO 3166-2) and city (GB/T 2260). */
  readonly places: readonly (readonly [province: string, cityCode: string])[];
  /** Number prefixes of three or four digits with the operator they were allocated to; the longer one wins. */
  readonly operators: readonly (readonly [prefix: string, operator: string])[];
}

/** Mainland segments: where a number was issued, and by whom. Allocation only: a ported number keeps its segment (docs/phone.md). */
export interface SegmentTable {
  readonly version: string;
  readonly records: number;
  /** What the segment says of an eleven-digit mainland mobile; undefined when nothing is known. One shared object a distinct answer. */
  facts(national: string): CardFacts | undefined;
}

/**
 * Attributes by prefix, from the public numbering plan; the first match wins, so the special ones stand before the leased segments.
 * Thirteen-digit IoT numbers are no valid length here and never reach this table: iot comes from records only.
 */
// biome-ignore format: a table
const ATTRIBUTES: readonly (readonly [prefix: RegExp, attribute: number])[] = [
  [/^1349|^1740[0-5]|^1749/,          204], // satellite
  [/^1740[6-9]|^1741[0-2]/,           206], // emergency communication
  [/^16[257]|^171|^170\d/,            202], // leased to virtual operators
  [/^14[579]/,                        205], // allocated as data cards
];
const BASIC_OPERATOR = 201;

/**
 * Reads the unpacked segment file: header line and runs.
 * @throws Error when the runs do not fill the header's count or name a place that is not there
 */
export function readSegments(header: SegmentHeader, runs: Uint8Array): SegmentTable {
  const placeOf = expandRuns(header, runs);
  const operators = new Map(header.operators);
  // Distinct answers are few: five leading digits and a place settle one.
  const cache = new Map<number, CardFacts | undefined>();
  const derive = (place: number, prefix5: string): CardFacts | undefined => {
    const carrier = operators.get(prefix5.slice(0, 4)) ?? operators.get(prefix5.slice(0, 3));
    const special = ATTRIBUTES.find(([pattern]) => pattern.test(prefix5))?.[1];
    const attribute = special ?? (carrier === undefined ? undefined : BASIC_OPERATOR);
    const [province, cityCode] = header.places[place - 1] ?? [];
    if (province === undefined && carrier === undefined && attribute === undefined) return undefined;
    return {
      ...(province === undefined ? {} : { province }),
      ...(cityCode === undefined ? {} : { cityCode }),
      ...(carrier === undefined ? {} : { carrier }),
      ...(attribute === undefined ? {} : { attribute }),
    };
  };
  return {
    version: header.version,
    records: header.records,
    facts(national) {
      const segment = Number(national.slice(0, 7));
      const place = placeOf[segment - header.first] ?? 0;
      const key = Math.floor(segment / 100) * 0x1_0000 + place;
      if (cache.has(key)) return cache.get(key);
      const facts = derive(place, national.slice(0, 5));
      cache.set(key, facts);
      return facts;
    },
  };
}

function expandRuns(header: SegmentHeader, runs: Uint8Array): Uint16Array {
  const out = new Uint16Array(header.count);
  let at = 0;
  let filled = 0;
  const leb128 = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = runs[at];
      if (byte === undefined || shift > 28) throw new Error('the segment table ends inside a run');
      at += 1;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < runs.length) {
    const length = leb128();
    const place = leb128();
    if (length === 0 || filled + length > header.count || place > header.places.length) throw new Error('the segment table holds a run that does not fit');
    out.fill(place, filled, filled + length);
    filled += length;
  }
  if (filled !== header.count) throw new Error('the segment table is too short');
  return out;
}
