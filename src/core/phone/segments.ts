import type { CardFacts } from './entry.ts';
import type { PhoneNumber } from './normalise.ts';
import { MAINLAND } from './numbering-plan.ts';

export interface SegmentHeader {
  readonly version: string;
  readonly licence: string;
  readonly first: number;
  readonly count: number;
  readonly records: number;
  /** Each place is a province (ISO 3166-2) and a city (GB/T 2260). */
  readonly places: readonly (readonly [province: string, cityCode: string])[];
  /** The longer of two prefixes wins. */
  readonly operators: readonly (readonly [prefix: string, operator: string])[];
}

/** Allocation of mainland segments: place and operator. A ported number keeps its segment (docs/phone.md). */
export interface SegmentTable {
  readonly version: string;
  readonly records: number;
  /** Returns the facts of an eleven-digit mainland mobile, if any are known. Equal answers share one object. */
  facts(national: string): CardFacts | undefined;
}

/**
 * Attributes by prefix, from the public numbering plan. The first match wins, so special prefixes precede
 * leased segments.
 */
// biome-ignore format: a table
const ATTRIBUTES: readonly (readonly [prefix: RegExp, attribute: number])[] = [
  [/^1349|^1740[0-5]|^1749/,          204], // satellite
  [/^1740[6-9]|^1741[0-2]/,           206], // emergency communication
  [/^16[257]|^171|^170\d/,            202], // leased to virtual operators
  [/^14[579]/,                        205], // allocated as data cards
];
const BASIC_OPERATOR = 201;
const IOT = 203;

/**
 * Prefixes of thirteen-digit machine numbers, from the public numbering plan. To the interface their length
 * is invalid.
 */
const MACHINES: readonly (readonly [prefix: string, operator: string])[] = [
  ['10646', 'CUCC'], ['10647', 'CMCC'], ['10648', 'CMCC'], ['10649', 'CTCC'],
  ['140', 'CUCC'], ['141', 'CTCC'], ['144', 'CMCC'], ['146', 'CUCC'], ['148', 'CMCC'],
]; // biome-ignore format: a table
const MACHINE_DIGITS = 13;

export function planFacts(
  segments: SegmentTable,
  { callingCode, national, validLength }: Pick<PhoneNumber, 'callingCode' | 'national' | 'validLength'>,
): CardFacts | undefined {
  if (callingCode !== MAINLAND) return undefined;
  if (validLength === true) return segments.facts(national);
  const machine = national.length === MACHINE_DIGITS && MACHINES.find(([prefix]) => national.startsWith(prefix));
  return machine ? { carrier: machine[1], attribute: IOT } : undefined;
}

/** Reads the unpacked segment file: a line of JSON, then the runs. */
export function parseSegments(bytes: Uint8Array): SegmentTable {
  const end = bytes.indexOf(NEWLINE);
  return readSegments(
    JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as SegmentHeader,
    bytes.subarray(end + 1),
  );
}

const NEWLINE = 10;

function readSegments(header: SegmentHeader, runs: Uint8Array): SegmentTable {
  const placeOf = expandRuns(header, runs);
  const allocations = allocationsOf(header);
  return {
    version: header.version,
    records: header.records,
    facts(national) {
      const segment = leadingSeven(national);
      const place = placeOf[segment - header.first] ?? 0;
      const { answers, carrier, attribute } = allocations(Math.floor(segment / 100));
      let facts = answers[place];
      if (facts === undefined) {
        facts = factsOf(header.places[place - 1], carrier, attribute) ?? null;
        answers[place] = facts;
      }
      return facts ?? undefined;
    },
  };
}

interface Allocation {
  readonly carrier: string | undefined;
  readonly attribute: number | undefined;
  readonly answers: (CardFacts | null | undefined)[];
}

/**
 * Returns the allocation of five leading digits. Thousands of prefixes share about twenty allocations, so
 * their answers stay in the CPU cache.
 */
function allocationsOf({ operators, places }: SegmentHeader): (prefix5: number) => Allocation {
  const operatorOf = new Map(operators);
  const distinct = new Map<string, Allocation>();
  const byPrefix = new Array<Allocation | undefined>(10_000).fill(undefined);
  const derive = (prefix5: string): Allocation => {
    const carrier = operatorOf.get(prefix5.slice(0, 4)) ?? operatorOf.get(prefix5.slice(0, 3));
    const special = ATTRIBUTES.find(([pattern]) => pattern.test(prefix5))?.[1];
    const attribute = special ?? (carrier === undefined ? undefined : BASIC_OPERATOR);
    const name = `${carrier} ${attribute}`;
    const allocation = distinct.get(name) ?? {
      carrier,
      attribute,
      answers: new Array(places.length + 1).fill(undefined),
    };
    distinct.set(name, allocation);
    return allocation;
  };
  return (prefix5) => {
    const index = prefix5 - 10_000;
    let allocation = byPrefix[index];
    if (allocation === undefined) {
      allocation = derive(String(prefix5));
      byPrefix[index] = allocation;
    }
    return allocation;
  };
}

function factsOf(
  [province, cityCode]: readonly string[] = [],
  carrier: string | undefined,
  attribute: number | undefined,
): CardFacts | undefined {
  if (province === undefined && carrier === undefined && attribute === undefined) return undefined;
  return {
    ...(province === undefined ? {} : { province }),
    ...(cityCode === undefined ? {} : { cityCode }),
    ...(carrier === undefined ? {} : { carrier }),
    ...(attribute === undefined ? {} : { attribute }),
  };
}

function leadingSeven(national: string): number {
  let value = 0;
  for (let at = 0; at < 7; at += 1) value = value * 10 + national.charCodeAt(at) - 48;
  return value;
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
    if (length === 0 || filled + length > header.count || place > header.places.length)
      throw new Error('the segment table holds a run that does not fit');
    out.fill(place, filled, filled + length);
    filled += length;
  }
  if (filled !== header.count) throw new Error('the segment table is too short');
  return out;
}
