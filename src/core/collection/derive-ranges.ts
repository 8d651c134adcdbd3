import type { Address } from '../ip/address.ts';
import { prefixOf } from '../ip/prefix.ts';
import { type UnixMs, unixMs } from '../units.ts';
import type { DerivationRules, RangeLength } from './derivation-rules.ts';
import { type DerivedCapture, type DerivedTimes, derivedKind } from './derived-capture.ts';
import type { OwnCapture } from './own-capture.ts';

/** Longest network whose captures are looked at together. */
export const RANGE_NET_BITS = 48;
const INTERFACE_BITS = 64;

export interface RangeOutcome {
  readonly captures: readonly DerivedCapture[];
  /** Those of `fresh` that must be known when later ones are judged. */
  readonly noted: readonly OwnCapture[];
}

export interface RangeQuestion {
  /** Captures of one /48 noted before, in any order: all that lie within a window of a fresh one. */
  readonly known: readonly OwnCapture[];
  /** Captures of the same /48 that were accepted just now. */
  readonly fresh: readonly OwnCapture[];
  readonly derived: DerivedTimes;
  /** Network data says that subscribers of an access network are there. */
  readonly isAccess: (address: Address) => boolean;
}

/**
 * ipv6_range: a prefix is captured at the moment of a capture that makes enough distinct addresses within a day. One machine can use a /64 and more as it likes, so
 * that each address alone says little; many of one prefix say that the prefix is one party's.
 * Adding captures never takes a range away. The order in which they arrive moves the first moment of a range by no more than `thinMs`.
 */
export function deriveRanges({ known, fresh, derived, isAccess }: RangeQuestion, rules: DerivationRules): RangeOutcome {
  const noted = notedOf(known, fresh, rules);
  const all = [...known, ...noted].sort((a, b) => a.at - b.at);
  const first = Math.min(...fresh.map(({ at }) => at));
  const captures: DerivedCapture[] = [];
  for (const length of rules.ipv6Range.lengths) {
    const windows = new Map<string, RangeWindow>();
    for (const capture of all) {
      const prefix = prefixOf(capture.address, length.bits);
      const kind = derivedKind('ipv6_range', prefix);
      const window = windowOf(windows, kind, rules);
      window.add(capture);
      if (capture.at < first || !window.reaches(length) || derived.isFresh(kind, capture.at, rules.renewMs)) continue;
      if (length.notOnAccess && isAccess(capture.address)) continue;
      derived.note(kind, capture.at);
      const reason = `${window.addresses} addresses of this /${length.bits} within a day (rules ${rules.version})`;
      captures.push({ prefix, riskType: 'ipv6_range', at: capture.at, pool: '', sources: window.sources(), reason });
    }
  }
  return { captures, noted };
}

function windowOf(windows: Map<string, RangeWindow>, kind: string, { ipv6Range }: DerivationRules): RangeWindow {
  const held = windows.get(kind);
  if (held !== undefined) return held;
  const made = new RangeWindow(ipv6Range.withinMs);
  windows.set(kind, made);
  return made;
}

/** Fresh captures without those that say nothing new: the address was noted a few minutes before, or its /48 has more than enough. */
function notedOf(known: readonly OwnCapture[], fresh: readonly OwnCapture[], { ipv6Range }: DerivationRules): OwnCapture[] {
  const { thinMs, notedMax, withinMs } = ipv6Range;
  const newest = new Map<string, UnixMs>();
  const times: UnixMs[] = [];
  const noted: OwnCapture[] = [];
  const isNoted = new Set(known);
  for (const capture of [...known, ...fresh].sort((a, b) => a.at - b.at)) {
    const key = `${capture.source} ${addressKey(capture.address)}`;
    const before = newest.get(key);
    while (times.length > 0 && times[0]! <= capture.at - withinMs) times.shift();
    if (!isNoted.has(capture)) {
      if (before !== undefined && capture.at - before < thinMs) continue;
      if (times.length >= notedMax) continue;
      noted.push(capture);
    }
    newest.set(key, unixMs(capture.at));
    times.push(capture.at);
  }
  return noted;
}

const addressKey = ({ w0, w1, w2, w3 }: Address): string => `${w0} ${w1} ${w2} ${w3}`;

/** Captures of one prefix within a sliding window, counted by address and by /64. Captures come in ascending order of time. */
class RangeWindow {
  readonly #withinMs: number;
  readonly #captures: OwnCapture[] = [];
  #from = 0;
  readonly #addresses = new Map<string, number>();
  readonly #networks = new Map<string, number>();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  get addresses(): number {
    return this.#addresses.size;
  }

  add(capture: OwnCapture): void {
    while (this.#from < this.#captures.length && this.#captures[this.#from]!.at <= capture.at - this.#withinMs) this.#count(this.#captures[this.#from++]!, -1);
    this.#captures.push(capture);
    this.#count(capture, 1);
  }

  reaches({ addresses, networks }: RangeLength): boolean {
    return this.#addresses.size >= addresses && this.#networks.size >= networks;
  }

  sources(): readonly string[] {
    return [...new Set(this.#captures.slice(this.#from).map(({ source }) => source))].sort();
  }

  #count({ address }: OwnCapture, by: 1 | -1): void {
    bump(this.#addresses, addressKey(address), by);
    bump(this.#networks, addressKey(prefixOf(address, INTERFACE_BITS)), by);
  }
}

function bump(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
