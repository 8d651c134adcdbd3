import type { RiskType } from '../../../contract/risk.ts';
import type { Address } from '../../ip/address.ts';
import { prefixOf } from '../../ip/prefix.ts';
import {
  type DerivationRules,
  type DerivedCapture,
  type DerivedTimes,
  derivedKind,
  type OwnCapture,
  type RangeLength,
  type RestingOn,
  restingOn,
} from './derivation-rules.ts';

export const RANGE_NET_BITS = 48;

const RISK_TYPE: RiskType = 'ipv6_range';

export interface RangeOutcome {
  readonly captures: readonly DerivedCapture[];
  /** Later decisions need these captures out of `fresh` in the store. */
  readonly noted: readonly OwnCapture[];
}

/**
 * - `known`: holds all noted captures of one /48 within a window of a fresh one, in any order.
 * - `isAccess`: true where network data names subscribers of an access network, or says nothing.
 */
export interface RangeInput {
  readonly known: readonly OwnCapture[];
  readonly fresh: readonly OwnCapture[];
  readonly derived: DerivedTimes;
  readonly isAccess: (address: Address) => boolean;
}

/**
 * Derives ipv6_range: a prefix is captured at the capture that completes enough distinct addresses within a
 * day. One machine can use a /64 or more freely, so a single address says little; many addresses of one
 * prefix show that one party holds the prefix.
 * Adding captures never removes a range. Their order of arrival moves the first moment of a range by at most
 * `thinMs`.
 */
export function deriveRanges({ known, fresh, derived, isAccess }: RangeInput, rules: DerivationRules): RangeOutcome {
  const places = [
    ...known.map((capture) => placeOf(capture, false)),
    ...fresh.map((capture) => placeOf(capture, true)),
  ].sort(byTime);
  const noted = notedOf(places, rules);
  const first = noted.find(({ isFresh }) => isFresh);
  if (first === undefined) return { captures: [], noted: [] };
  const captures: DerivedCapture[] = [];
  for (const length of rules.ipv6Range.lengths) {
    const touched = new Set(noted.filter(({ isFresh }) => isFresh).map((place) => partOf(place, length.bits)));
    const windows = new Map<number, RangeWindow>();
    for (const place of noted) {
      const part = partOf(place, length.bits);
      if (!touched.has(part)) continue;
      const window = windowOf(windows, part, length, rules);
      window.add(place);
      const { address, at } = place.capture;
      if (at < first.capture.at || !window.reaches() || (length.notOnAccess && isAccess(address))) continue;
      const prefix = prefixOf(address, length.bits);
      const kind = derivedKind(RISK_TYPE, prefix);
      if (derived.isFresh(kind, at, rules.renewMs)) continue;
      derived.note(kind, at);
      const reason = `${window.addresses} addresses of this /${length.bits} within a day (rules ${rules.version})`;
      captures.push({ prefix, riskType: RISK_TYPE, at, pool: '', restsOn: window.restsOn(), reason });
    }
  }
  return { captures, noted: noted.filter(({ isFresh }) => isFresh).map(({ capture }) => capture) };
}

interface Place {
  readonly capture: OwnCapture;
  readonly isFresh: boolean;
  readonly address: string;
  readonly subnet: number;
}

const placeOf = (capture: OwnCapture, isFresh: boolean): Place => {
  const { w1, w2, w3 } = capture.address;
  return { capture, isFresh, address: `${w1 & 0xffff} ${w2} ${w3}`, subnet: w1 & 0xffff };
};

const byTime = (a: Place, b: Place): number => a.capture.at - b.capture.at;

const partOf = ({ subnet }: Place, bits: number): number => subnet >>> (64 - bits);

function notedOf(places: readonly Place[], { ipv6Range }: DerivationRules): readonly Place[] {
  const { thinMs, notedMax, withinMs } = ipv6Range;
  const newest = new Map<string, number>();
  const noted: Place[] = [];
  let from = 0;
  for (const place of places) {
    const { at, source, sender } = place.capture;
    while (from < noted.length && noted[from]!.capture.at <= at - withinMs) from++;
    const key = `${source} ${sender} ${place.address}`;
    if (
      place.isFresh &&
      (at - (newest.get(key) ?? Number.NEGATIVE_INFINITY) < thinMs || noted.length - from >= notedMax)
    )
      continue;
    newest.set(key, at);
    noted.push(place);
  }
  return noted;
}

function windowOf(
  windows: Map<number, RangeWindow>,
  part: number,
  length: RangeLength,
  rules: DerivationRules,
): RangeWindow {
  const held = windows.get(part);
  if (held !== undefined) return held;
  const made = new RangeWindow(length, rules);
  windows.set(part, made);
  return made;
}

class RangeWindow {
  readonly #length: RangeLength;
  readonly #withinMs: number;
  readonly #places: Place[] = [];
  #from = 0;
  readonly #addresses = new Map<string, number>();
  readonly #parts = new Map<number, number>();

  constructor(length: RangeLength, { ipv6Range }: DerivationRules) {
    this.#length = length;
    this.#withinMs = ipv6Range.withinMs;
  }

  get addresses(): number {
    return this.#addresses.size;
  }

  add(place: Place): void {
    while (
      this.#from < this.#places.length &&
      this.#places[this.#from]!.capture.at <= place.capture.at - this.#withinMs
    )
      this.#count(this.#places[this.#from++]!, -1);
    this.#places.push(place);
    this.#count(place, 1);
  }

  reaches(): boolean {
    const { addresses, parts } = this.#length;
    return this.#addresses.size >= addresses && this.#parts.size >= parts.count;
  }

  restsOn(): readonly RestingOn[] {
    return restingOn(this.#places.slice(this.#from).map(({ capture }) => capture));
  }

  #count(place: Place, by: 1 | -1): void {
    bump(this.#addresses, place.address, by);
    bump(this.#parts, partOf(place, this.#length.parts.bits), by);
  }
}

function bump<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
