import type { Address } from '../../ip/address.ts';
import { formatPrefix } from '../../ip/format-address.ts';
import { familyBits, prefixOf } from '../../ip/prefix.ts';
import { type UnixMs, unixMs } from '../../units.ts';
import {
  CaptureSpans,
  type CollectionFacts,
  type DerivationRules,
  type DerivedCapture,
  isAccessSpace,
  type OwnCapture,
  type RestingOn,
} from './derivation-rules.ts';

/** The source recognised the actor: one client software with one continued sequence of credentials. */
export interface ActorCapture extends OwnCapture {
  readonly actor: string;
}

export interface RedialInput {
  /** Holds all noted captures of one actor within a day of a fresh one, in any order. */
  readonly known: readonly ActorCapture[];
  readonly fresh: readonly ActorCapture[];
}

export interface RedialOutcome {
  readonly captures: readonly DerivedCapture[];
  readonly noted: readonly ActorCapture[];
}

interface Stay {
  readonly address: Address;
  readonly from: UnixMs;
  until: UnixMs;
  captures: number;
  readonly seen: ActorCapture[];
}

/**
 * Derives dialup_pool: one actor moves several times within minutes to another address of the same access
 * network, never to one that it left within a day. A redialled line gets such addresses. A machine behind
 * carrier NAT returns to an address or changes at every connection. Machines of a botnet, which may look like
 * one actor, are in many networks at once or return one after another.
 * Every address of the chain is captured when the actor was first seen there, but not before the move that
 * completed the rule: until then nothing was known.
 */
export function deriveRedials(
  { known, fresh }: RedialInput,
  facts: CollectionFacts,
  rules: DerivationRules,
): RedialOutcome {
  if (known.length >= rules.dialupPool.notedMax) return { captures: [], noted: [] };
  const noted = notedOf(known, fresh, rules);
  const before = new Set(capturesOf(known, facts, rules).map(keyOf));
  return {
    captures: capturesOf([...known, ...noted], facts, rules).filter((capture) => !before.has(keyOf(capture))),
    noted,
  };
}

function capturesOf(
  all: readonly ActorCapture[],
  facts: CollectionFacts,
  rules: DerivationRules,
): readonly DerivedCapture[] {
  const captures: DerivedCapture[] = [];
  for (const chain of chainsOf(staysOf(all), facts, rules)) {
    const pool = poolOf(chain[0]!.address, rules);
    const reason = `one actor went on from address to address of ${pool}, ${chain.length} of them within minutes of each other (rules ${rules.version})`;
    const supports = supportsOf(chain);
    const complete = chain[rules.dialupPool.changes]!.from;
    for (const [i, { address, from }] of chain.entries()) {
      const prefix = prefixOf(address, familyBits(address.family));
      const restsOn = supports[Math.max(i, rules.dialupPool.changes)]!;
      captures.push({
        prefix,
        riskType: 'dialup_pool',
        at: unixMs(Math.max(from, complete)),
        pool: `dial-up ${pool}`,
        restsOn,
        reason,
      });
    }
  }
  return captures;
}

function supportsOf(chain: readonly Stay[]): readonly (readonly RestingOn[])[] {
  const spans = new CaptureSpans();
  return chain.map(({ seen: [first, ...more] }) => {
    spans.add(first!);
    const support = spans.list();
    for (const capture of more) spans.add(capture);
    return support;
  });
}

const keyOf = ({ prefix, at }: DerivedCapture): string =>
  `${prefix.family} ${prefix.w0} ${prefix.w1} ${prefix.w2} ${prefix.w3} ${at}`;

function notedOf(
  known: readonly ActorCapture[],
  fresh: readonly ActorCapture[],
  { dialupPool }: DerivationRules,
): readonly ActorCapture[] {
  const isKnown = new Set(known);
  const newest = new Map<string, UnixMs>();
  const noted: ActorCapture[] = [];
  for (const capture of [...known, ...fresh].sort((a, b) => a.at - b.at)) {
    const key = `${capture.source} ${capture.sender} ${addressText(capture.address)}`;
    const before = newest.get(key);
    if (!isKnown.has(capture)) {
      if (before !== undefined && capture.at - before < dialupPool.thinMs) continue;
      noted.push(capture);
    }
    newest.set(key, capture.at);
  }
  return noted;
}

function staysOf(captures: readonly ActorCapture[]): readonly Stay[] {
  const stays: Stay[] = [];
  for (const capture of [...captures].sort((a, b) => a.at - b.at)) {
    const { address, at } = capture;
    const last = stays.at(-1);
    if (last !== undefined && isSame(last.address, address)) {
      if (at > last.until) last.captures++;
      last.until = at;
      last.seen.push(capture);
    } else stays.push({ address, from: at, until: at, captures: 1, seen: [capture] });
  }
  return stays;
}

function* chainsOf(stays: readonly Stay[], facts: CollectionFacts, rules: DerivationRules): Generator<readonly Stay[]> {
  let chain: Stay[] = [];
  const visited = new Map<string, Stay>();
  for (const stay of stays) {
    const last = chain.at(-1);
    const key = addressText(stay.address);
    const before = visited.get(key);
    visited.set(key, stay);
    const isBack = before !== undefined && stay.from - before.until < rules.dialupPool.withinMs;
    if (!isBack && last !== undefined && goesOn(last, stay, facts, rules)) chain.push(stay);
    else {
      if (chain.length > rules.dialupPool.changes) yield chain;
      chain = !isBack && isAccessSpace(facts.network(stay.address)) ? [stay] : [];
    }
  }
  if (chain.length > rules.dialupPool.changes) yield chain;
}

const addressText = ({ w0, w1, w2, w3 }: Address): string => `${w0} ${w1} ${w2} ${w3}`;

function goesOn(last: Stay, next: Stay, facts: CollectionFacts, { dialupPool }: DerivationRules): boolean {
  const { gapMs, capturesOfStay, prefixBits } = dialupPool;
  if (next.from - last.until > gapMs || last.captures < capturesOfStay) return false;
  const { family } = next.address;
  const network = facts.network(next.address);
  return (
    family === last.address.family &&
    isSame(prefixOf(last.address, prefixBits[family]), prefixOf(next.address, prefixBits[family])) &&
    network.asn === facts.network(last.address).asn &&
    isAccessSpace(network)
  );
}

const poolOf = (address: Address, { dialupPool }: DerivationRules): string =>
  formatPrefix(prefixOf(address, dialupPool.prefixBits[address.family]));

const isSame = (a: Address, b: Address): boolean =>
  a.family === b.family && a.w0 === b.w0 && a.w1 === b.w1 && a.w2 === b.w2 && a.w3 === b.w3;
