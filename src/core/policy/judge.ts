import type { Address } from '../ip/address.ts';
import { overlaps } from '../ip/address-set.ts';
import { familyBits } from '../ip/prefix.ts';
import type { Verdict } from '../risk/verdict.ts';
import { type Order, type OrderFacts, orderOf } from './order.ts';
import type { Policy } from './policy.ts';
import { type ReasonDetail, reasonOf } from './reason-of.ts';

export interface Judgement extends Order {
  /** The reason is in English and printable ASCII, for a log or a header. */
  readonly reason: string;
}

/**
 * Returns the order of a policy on an address with this verdict, and the reason for it. The caller decides
 * what follows where the policy only observes.
 */
export function judge(policy: Policy, verdict: Verdict, address: Address, detail: ReasonDetail = 'times'): Judgement {
  const order = addressOrder(policy, verdict, address);
  return { ...order, reason: reasonOf(order, verdict, detail) };
}

export function addressOrder(policy: Policy, facts: OrderFacts, address: Address): Order {
  const isListed = overlaps(policy.allowed[address.family], { ...address, bits: familyBits(address.family) });
  return isListed ? { action: 'allow', by: 'allow_list' } : orderOf(policy, facts);
}
