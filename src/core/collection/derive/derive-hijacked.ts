import type { Observation } from '../../evidence/observation.ts';
import type { Address } from '../../ip/address.ts';
import { familyBits, prefixOf } from '../../ip/prefix.ts';
import type { UnixMs } from '../../units.ts';
import {
  type CollectionFacts,
  type DerivationRules,
  type DerivedCapture,
  type DerivedTimes,
  derivedKind,
  isAccessSpace,
  type OwnCapture,
  restingOn,
} from './derivation-rules.ts';

export interface HijackInput {
  readonly fresh: readonly OwnCapture[];
  readonly derived: DerivedTimes;
  readonly listed: (address: Address, at: UnixMs) => readonly Observation[];
}

/**
 * An attack can come from a hijacked device if its address is on access-network space and is no known
 * service.
 */
export const mayBeHijacked = ({ address, at }: OwnCapture, facts: CollectionFacts): boolean =>
  isAccessSpace(facts.network(address)) && !facts.isKnownGood(address, at);

/**
 * Derives hijacked_proxy: own collection captured an address of an access network while a proxy source listed
 * that same address. A home that offers a proxy and attacks strangers does so for a party unknown to its
 * owner. A later listing derives nothing for an attack before it; the next attack does.
 * @param question.fresh captures for which `mayBeHijacked` holds
 */
export function deriveHijacked(
  { fresh, derived, listed }: HijackInput,
  facts: CollectionFacts,
  rules: DerivationRules,
): readonly DerivedCapture[] {
  const captures: DerivedCapture[] = [];
  for (const { address, at, source, sender } of [...fresh].sort((a, b) => a.at - b.at)) {
    const prefix = prefixOf(address, familyBits(address.family));
    const kind = derivedKind('hijacked_proxy', prefix);
    if (derived.isFresh(kind, at, rules.renewMs)) continue;
    const lists = listed(address, at).filter(
      (row) => row.source !== source && row.capturedAt > at - rules.hijackedProxy.listedWithinMs,
    );
    if (lists.length === 0) continue;
    derived.note(kind, at);
    const names = [...new Set(lists.map((row) => row.source))].sort().join(', ');
    const reason = `${source} saw it attack while ${names} listed it, on ${facts.network(address).usageType ?? 'unnamed'} space (rules ${rules.version})`;
    captures.push({
      prefix,
      riskType: 'hijacked_proxy',
      at,
      pool: '',
      restsOn: restingOn([{ source, sender, at }]),
      reason,
    });
  }
  return captures;
}
