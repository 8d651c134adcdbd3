import type { IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import { SHARE_TIERS, type Signal } from '../../contract/risk.ts';
import type { Address } from '../ip/address.ts';
import { overlaps } from '../ip/address-set.ts';
import { familyBits } from '../ip/prefix.ts';
import type { Override } from '../risk/override.ts';
import { crowdOf } from '../risk/share-tier.ts';
import type { Verdict } from '../risk/verdict.ts';
import { ACTIONS, type Action, type Policy } from './policy.ts';

export interface Order {
  readonly action: Action;
  readonly by: 'score' | 'signal' | 'crowd' | 'tor' | 'allow_list' | 'override';
  readonly signal?: Signal;
}

export type OrderFacts = Pick<Verdict, 'score' | 'signals' | 'crowd'> & {
  readonly sharedBy?: Verdict['sharedBy'];
  readonly override?: Partial<Override> | undefined;
};

/**
 * The one rule (decisions 10.21) that everything follows that acts or advises; the list of prefixes of a policy
 * comes before it (`addressOrder`). A tier raised by evidence is not a crowd.
 */
export function orderOf(policy: Policy, { score, signals, crowd, sharedBy, override }: OrderFacts): Order {
  const { tiers, tor, signals: bySignal } = policy.document;
  if (override !== undefined && override.deny === undefined)
    return { action: 'allow', by: override.id === 'allow-list' ? 'allow_list' : 'override' };
  const friend = signals.find((signal) => bySignal[signal] === 'allow');
  if (friend !== undefined) return { action: 'allow', by: 'signal', signal: friend };
  if (sharedBy === 'tor') return { action: tor, by: 'tor' };
  const cap = tiers[crowd];
  const scored = byScore(policy, score);
  const isSpared = scored === 'challenge' && crowd === LARGEST && cap !== 'deny';
  let order: Order = isSpared ? { action: 'allow', by: 'crowd' } : { action: scored, by: 'score' };
  for (const signal of signals) {
    const action = bySignal[signal];
    if (action !== undefined && rank(action) > rank(order.action)) order = { action, by: 'signal', signal };
  }
  return rank(order.action) > rank(cap) ? { action: cap, by: 'crowd' } : order;
}

export function addressOrder(policy: Policy, facts: OrderFacts, address: Address): Order {
  const isListed = overlaps(policy.allowed[address.family], { ...address, bits: familyBits(address.family) });
  return isListed ? { action: 'allow', by: 'allow_list' } : orderOf(policy, facts);
}

const LARGEST = SHARE_TIERS.at(-1);

const byScore = ({ denyFrom, challengeFrom }: Policy, score: number): Action =>
  score >= denyFrom ? 'deny' : score >= challengeFrom ? 'challenge' : 'allow';

const rank = (action: Action): number => ACTIONS.indexOf(action);

type Crowd = Pick<Verdict, 'crowd' | 'sharedBy'>;

/**
 * Returns who shares an address as far as a document tells. Evidence raises a tier to T2 at most: T3 elsewhere than
 * on a carrier's network is a Tor exit or a relay, and a relay has no evidence of vpn. A basic document tells neither.
 */
export function documentCrowd(document: IPRisk | PulseIPRisk): Crowd {
  const family = document.ip.includes(':') ? 6 : 4;
  const usageType = document.network?.usage_type;
  const isCarrier = crowdOf({ usageType, relay: false }, 4) === 'T3';
  const isExit = 'share_tier' in document && document.share_tier === 'T3' && !isCarrier;
  const isTor = isExit && document.evidence.some(({ risk_type }) => risk_type === 'vpn');
  const sharedBy = isTor ? 'tor' : isExit ? 'relay' : undefined;
  return { sharedBy, crowd: crowdOf({ usageType, relay: sharedBy === 'relay' }, family) };
}
