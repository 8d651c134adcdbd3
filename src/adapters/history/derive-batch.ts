import { RISK_TYPES } from '../../contract/risk.ts';
import type { CollectionFacts } from '../../core/collection/collection-facts.ts';
import { DERIVATION_RULES } from '../../core/collection/derivation-rules.ts';
import { deriveRanges, RANGE_NET_BITS } from '../../core/collection/derive-ranges.ts';
import type { DerivedCapture, DerivedTimes } from '../../core/collection/derived-capture.ts';
import { isSubscriberSpace } from '../../core/collection/is-subscriber-space.ts';
import type { OwnCapture } from '../../core/collection/own-capture.ts';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import type { EvidenceSource } from '../../core/evidence/observation.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { familyBits } from '../../core/ip/prefix.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { JudgedBatch } from './judge-batch.ts';
import { type ReceivedBatch, receiveCaptures } from './receive-captures.ts';

/** Captures that follow from others stand in the store as captures of this source. */
const DERIVED: EvidenceSource = { id: 'derived', family: 'derived', mode: 'events' };

/** What of a batch may have derived captures follow. */
export interface DerivationPlan {
  /** Captures of single IPv6 addresses by own collection, by /48. */
  readonly nets: readonly NetCaptures[];
}

/** The first 48 bits of an IPv6 address. */
export type NetNumber = number;

export interface NetCaptures {
  readonly net: NetNumber;
  readonly fresh: readonly OwnCapture[];
  /** Captures noted of the /48 from this moment to the other one are needed. */
  readonly from: UnixMs;
  readonly until: UnixMs;
}

/** What the store knew before the batch. */
export interface DerivationState {
  /** Captures noted before, by their /48. */
  readonly noted: ReadonlyMap<NetNumber, readonly OwnCapture[]>;
  readonly derived: DerivedTimes;
}

export interface Derivation {
  readonly captures: readonly DerivedCapture[];
  /** Captures that must be known when later ones are judged. */
  readonly noted: readonly OwnCapture[];
}

/** How long captures are noted: the longest window, and two days for those that arrive late. */
export const OWN_CAPTURES_MS = 3 * DAY_MS;

const OWN_TYPES: ReadonlySet<number> = new Set([RISK_TYPES.indexOf('honeypot_scan'), RISK_TYPES.indexOf('honeypot_credential')]);

/** @returns undefined: nothing can follow from this batch */
export function planDerivation(received: ReceivedBatch, judged: JudgedBatch): DerivationPlan | undefined {
  if (received.kind !== 'captures') return undefined;
  const own = ownCaptures(received, judged);
  const ipv6 = own.filter(({ address }) => address.family === 6);
  return ipv6.length === 0 ? undefined : { nets: netsOf(ipv6) };
}

/** Number of the /48 that holds an IPv6 address. */
export const netNumber = ({ w0, w1 }: Address): NetNumber => w0 * 2 ** 16 + (w1 >>> 16);

/** The /48 of a number. */
export const netPrefix = (net: NetNumber): Prefix => ({
  family: 6,
  w0: Math.floor(net / 2 ** 16),
  w1: (net % 2 ** 16) * 2 ** 16,
  w2: 0,
  w3: 0,
  bits: RANGE_NET_BITS,
});

/** Captures of single addresses by own collection. */
function ownCaptures({ batch, source }: ReceivedBatch, { rows, times, codes, tracks }: JudgedBatch): readonly OwnCapture[] {
  const own: OwnCapture[] = [];
  for (const row of rows) {
    const family = batch.family[row] === 4 ? 4 : 6;
    if (batch.bits[row] !== familyBits(family) || !OWN_TYPES.has(tracks.get(codes[row]!)!.type)) continue;
    const [w0, w1, w2, w3] = batch.words.subarray(4 * row, 4 * row + 4) as unknown as readonly [number, number, number, number];
    own.push({ address: { family, w0, w1, w2, w3 }, at: unixMs(times[row]!), source: source.id });
  }
  return own;
}

function netsOf(captures: readonly OwnCapture[]): readonly NetCaptures[] {
  const { withinMs } = DERIVATION_RULES.ipv6Range;
  const byNet = Map.groupBy(captures, ({ address }) => netNumber(address));
  return [...byNet].map(([net, fresh]) => {
    const times = fresh.map(({ at }) => at);
    return { net, fresh, from: unixMs(min(times) - withinMs), until: unixMs(max(times) + withinMs) };
  });
}

const min = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
const max = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b));

/** @param facts undefined: there is no network data, and nothing is derived that needs some */
export function deriveBatch({ nets }: DerivationPlan, state: DerivationState, facts: CollectionFacts | undefined): Derivation {
  const isAccess = (address: OwnCapture['address']): boolean => facts === undefined || isSubscriberSpace(facts.network(address));
  const outcomes = nets.map(({ net, fresh }) => deriveRanges({ known: state.noted.get(net) ?? [], fresh, derived: state.derived, isAccess }, DERIVATION_RULES));
  return { captures: outcomes.flatMap(({ captures }) => captures), noted: outcomes.flatMap(({ noted }) => noted) };
}

/** Derived captures as the store takes them. */
export function receiveDerived({ captures }: Derivation, acceptedAt: UnixMs): ReceivedBatch {
  const builder = new CaptureBatchBuilder(captures.length);
  for (const { prefix, riskType, at, pool } of captures) builder.add(prefix, { riskType, capturedAt: at, ...(pool === '' ? {} : { pool }) });
  return receiveCaptures(DERIVED, acceptedAt, builder.build(), acceptedAt);
}
