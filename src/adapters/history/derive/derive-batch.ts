import { RISK_TYPES } from '../../../contract/risk.ts';
import {
  type CollectionFacts,
  DERIVATION_RULES,
  DERIVED_ID,
  type DerivationRules,
  type DerivedCapture,
  type DerivedTimes,
  isSubscriberSpace,
  type OwnCapture,
} from '../../../core/collection/derive/derivation-rules.ts';
import { deriveHijacked, mayBeHijacked } from '../../../core/collection/derive/derive-hijacked.ts';
import { deriveListed } from '../../../core/collection/derive/derive-listed.ts';
import { deriveRanges, RANGE_NET_BITS } from '../../../core/collection/derive/derive-ranges.ts';
import { type ActorCapture, deriveRedials } from '../../../core/collection/derive/derive-redials.ts';
import { CaptureBatchBuilder } from '../../../core/evidence/capture-batch-builder.ts';
import { batchAddress } from '../../../core/evidence/drop-duplicates.ts';
import type { EvidenceSource } from '../../../core/evidence/observation.ts';
import type { Address, Prefix } from '../../../core/ip/address.ts';
import { familyBits } from '../../../core/ip/prefix.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { BatchJudgement } from '../receive/judge-batch.ts';
import { type ReceivedBatch, receiveCaptures } from '../receive/receive-captures.ts';
import { addressKey, type ListingRecords } from '../write/listing-records.ts';

const DERIVED: EvidenceSource = { id: DERIVED_ID, family: DERIVED_ID, mode: 'events' };

export interface DerivationPlan {
  readonly nets: readonly NetCaptures[];
  readonly suspects: SuspectCaptures | undefined;
  readonly actors: readonly ActorCaptures[];
}

export interface ActorCaptures {
  readonly actor: string;
  readonly fresh: readonly ActorCapture[];
  /** Noted captures of the actor in [from, until] are needed. */
  readonly from: UnixMs;
  readonly until: UnixMs;
}

export interface SuspectCaptures {
  readonly fresh: readonly OwnCapture[];
  readonly addresses: readonly Address[];
  readonly from: UnixMs;
  readonly until: UnixMs;
}

export type NetNumber = number;

export interface NetCaptures {
  readonly net: NetNumber;
  readonly fresh: readonly OwnCapture[];
  readonly from: UnixMs;
  readonly until: UnixMs;
}

export interface DerivationState {
  readonly noted: ReadonlyMap<NetNumber, readonly OwnCapture[]>;
  readonly actors: ReadonlyMap<string, readonly ActorCapture[]>;
  readonly derived: DerivedTimes;
  readonly listed: ListingRecords;
}

export interface DeriveBy {
  /** Undefined without network data; derivations that need it are then skipped. */
  readonly facts: () => CollectionFacts | undefined;
  readonly rules: DerivationRules;
}

export const WITHOUT_FACTS: DeriveBy = { facts: () => undefined, rules: DERIVATION_RULES };

export interface Derivation {
  readonly captures: readonly DerivedCapture[];
  readonly noted: readonly OwnCapture[];
  readonly actors: readonly ActorCapture[];
}

/** Captures are noted for the longest window, and two days more for late arrivals. */
export const OWN_CAPTURES_MS = 3 * DAY_MS;

/**
 * Returns the batch with the kinds that network data gives the entries of its source. A batch is identified
 * by its original form, so storing it again after network data changed adds nothing to the past.
 */
export function withListedKinds(received: ReceivedBatch, { facts }: DeriveBy): ReceivedBatch {
  const { riskType, derives } = received.source;
  if (riskType === undefined || derives === undefined) return received;
  const known = facts();
  return known === undefined
    ? received
    : { ...received, batch: deriveListed(received.batch, { riskType, derives }, known, received.runAt ?? received.at) };
}

const OWN_TYPES: ReadonlySet<number> = new Set([
  RISK_TYPES.indexOf('honeypot_scan'),
  RISK_TYPES.indexOf('honeypot_credential'),
]);

export function planDerivation(
  received: ReceivedBatch,
  judged: BatchJudgement,
  { facts, rules }: DeriveBy,
): DerivationPlan | undefined {
  if (received.kind !== 'captures') return undefined;
  const own = ownCaptures(received, judged);
  if (own.length === 0) return undefined;
  const known = facts();
  const plan = {
    nets: netsOf(own, rules),
    suspects: known && suspectsOf(own, known, rules),
    actors: known === undefined ? [] : actorsOf(own, rules),
  };
  return plan.nets.length === 0 && plan.suspects === undefined && plan.actors.length === 0 ? undefined : plan;
}

export const netNumber = ({ w0, w1 }: Address): NetNumber => w0 * 2 ** 16 + (w1 >>> 16);

export const netPrefix = (net: NetNumber): Prefix => ({
  family: 6,
  w0: Math.floor(net / 2 ** 16),
  w1: (net % 2 ** 16) * 2 ** 16,
  w2: 0,
  w3: 0,
  bits: RANGE_NET_BITS,
});

function ownCaptures(
  { batch, source }: ReceivedBatch,
  { rows, times, codes, tracks }: BatchJudgement,
): readonly ActorCapture[] {
  const own: ActorCapture[] = [];
  const { sensor } = batch;
  for (const row of rows) {
    if (!OWN_TYPES.has(tracks.get(codes[row]!)!.type)) continue;
    const address = batchAddress(batch, row);
    if (batch.bits[row] !== familyBits(address.family)) continue;
    const actor = sensor === undefined ? '' : sensor.actors[sensor.actor[row]!]!;
    own.push({ address, at: unixMs(times[row]!), source: source.id, sender: source.sender ?? '', actor });
  }
  return own;
}

function actorsOf(
  own: readonly ActorCapture[],
  { dialupPool: { withinMs } }: DerivationRules,
): readonly ActorCaptures[] {
  const recognised = own.filter(({ actor }) => actor !== '');
  return [...Map.groupBy(recognised, ({ actor }) => actor)].map(([actor, fresh]) => {
    const { first, last } = spanOf(fresh);
    return { actor, fresh, from: unixMs(first - withinMs), until: unixMs(last + withinMs) };
  });
}

function netsOf(own: readonly OwnCapture[], { ipv6Range: { withinMs } }: DerivationRules): readonly NetCaptures[] {
  const ipv6 = own.filter(({ address }) => address.family === 6);
  return [...Map.groupBy(ipv6, ({ address }) => netNumber(address))].map(([net, fresh]) => {
    const { first, last } = spanOf(fresh);
    return { net, fresh, from: unixMs(first - withinMs), until: unixMs(last + withinMs) };
  });
}

export const mayBeRange = (
  { fresh }: NetCaptures,
  noted: readonly OwnCapture[],
  { ipv6Range }: DerivationRules,
): boolean => ipv6Range.lengths.some(({ addresses }) => noted.length + fresh.length >= addresses);

function suspectsOf(
  own: readonly OwnCapture[],
  facts: CollectionFacts,
  { hijackedProxy }: DerivationRules,
): SuspectCaptures | undefined {
  const fresh = own.filter((capture) => mayBeHijacked(capture, facts));
  if (fresh.length === 0) return undefined;
  const addresses = new Map(fresh.map(({ address }) => [addressKey(address), address]));
  const { first, last } = spanOf(fresh);
  return { fresh, addresses: [...addresses.values()], from: unixMs(first - hijackedProxy.listedWithinMs), until: last };
}

function spanOf(captures: readonly OwnCapture[]): { readonly first: UnixMs; readonly last: UnixMs } {
  let [first, last] = [captures[0]!.at, captures[0]!.at];
  for (const { at } of captures) {
    if (at < first) first = at;
    if (at > last) last = at;
  }
  return { first, last };
}

export function deriveBatch(
  { nets, suspects, actors }: DerivationPlan,
  state: DerivationState,
  { facts, rules }: DeriveBy,
): Derivation {
  const known = facts();
  const isAccess = (address: Address): boolean => known === undefined || isSubscriberSpace(known.network(address));
  const ranges = nets.map(({ net, fresh }) =>
    deriveRanges({ known: state.noted.get(net) ?? [], fresh, derived: state.derived, isAccess }, rules),
  );
  const listed = (address: Address, at: UnixMs) => state.listed.at(address, at);
  const redials =
    known === undefined
      ? []
      : actors.map(({ actor, fresh }) => deriveRedials({ known: state.actors.get(actor) ?? [], fresh }, known, rules));
  const hijacked =
    suspects === undefined || known === undefined
      ? []
      : deriveHijacked(
          { fresh: suspects.fresh.filter(({ address }) => state.listed.has(address)), derived: state.derived, listed },
          known,
          rules,
        );
  return {
    captures: [...[...ranges, ...redials].flatMap(({ captures }) => captures), ...hijacked],
    noted: ranges.flatMap(({ noted }) => noted),
    actors: redials.flatMap(({ noted }) => noted),
  };
}

export function receiveDerived({ captures }: Derivation, acceptedAt: UnixMs): ReceivedBatch {
  const builder = new CaptureBatchBuilder(captures.length);
  for (const { prefix, riskType, at, pool } of captures)
    builder.add(prefix, { riskType, capturedAt: at, ...(pool === '' ? {} : { pool }) });
  return receiveCaptures(DERIVED, acceptedAt, builder.build(), acceptedAt);
}
