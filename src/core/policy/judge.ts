import type { Address } from '../ip/address.ts';
import { familyBits } from '../ip/prefix.ts';
import type { Verdict } from '../risk/verdict.ts';
import { ACTIONS, type Action, type Policy } from './policy.ts';
import { type ReasonDetail, reasonOf } from './reason-of.ts';

export interface Judgement {
  readonly action: Action;
  /** The reason is in English and printable ASCII, for a log or a header. */
  readonly reason: string;
}

/**
 * Returns the action of a policy on an address with this verdict, and the reason for it. The caller decides
 * what follows where the policy only observes.
 */
export function judge(policy: Policy, verdict: Verdict, address: Address, detail: ReasonDetail = 'times'): Judgement {
  const { document, allowed } = policy;
  if (allowed[address.family].overlaps({ ...address, bits: familyBits(address.family) }))
    return { action: 'allow', reason: 'on the allow list of the policy' };
  const { signals, shareTier } = verdict;
  const friend = signals.find((signal) => document.signals[signal] === 'allow');
  if (friend !== undefined) return { action: 'allow', reason: `allowed as ${friend.replaceAll('_', ' ')}` };
  const wanted = signals.reduce(
    (action, signal) => stricter(action, document.signals[signal]),
    byScore(policy, verdict),
  );
  const reason = reasonOf(verdict, detail);
  const action = milder(wanted, document.tiers[shareTier]);
  return { action, reason: action === wanted ? reason : `${reason}; sharing tier ${shareTier}` };
}

const byScore = ({ denyFrom, challengeFrom }: Policy, { score }: Verdict): Action =>
  score >= denyFrom ? 'deny' : score >= challengeFrom ? 'challenge' : 'allow';

const rank = (action: Action): number => ACTIONS.indexOf(action);
const stricter = (a: Action, b: Action | undefined): Action => (b !== undefined && rank(b) > rank(a) ? b : a);
const milder = (a: Action, b: Action): Action => (rank(b) < rank(a) ? b : a);
