import { ACCOUNT_CAPS } from './account-caps.ts';

/**
 * Changes that take access away, or use up a thing that may be used once. They are counted apart from the others: who fills the log through a stolen session must not
 * keep its owner from ending stolen access. No more of them can be made than of the things they end, except of new passwords, which need the old one.
 */
export const ENDINGS = [
  'key.revoke',
  'account.password',
  'account.delete',
  'factor.remove',
  'factor.recovery-used',
  'app.disconnect',
] as const;

/**
 * Events that are counted: each is one row for an actor, a subject and an hour, however often it happens, so they need no cap and count in none.
 * `operator.refuse`: an operator's sign-in failed, or the operator pages were asked for without the right to see them.
 */
export const COUNTED_ACTIONS = [
  'session.open',
  'session.refuse',
  'session.end',
  'operator.refuse',
  'factor.lock',
  'evidence.deliver',
  'evidence.refuse',
] as const;
export type CountedAction = (typeof COUNTED_ACTIONS)[number];

/** At most `most` audit rows in 24 hours of the actions that are counted together. */
export interface AuditCap {
  readonly most: number;
  /** Whether endings are counted, all other actions, or both alike. */
  readonly counts: 'endings' | 'others' | 'all';
}

/** Rows an actor may add in 24 hours; changes beyond are refused. None for `cli` and `system`. */
export function auditCap(actor: string, action: string): AuditCap | undefined {
  if (actor.startsWith('operator:')) return { most: ACCOUNT_CAPS.operatorChangesADay, counts: 'all' };
  if (!actor.startsWith('user:')) return undefined;
  return ENDINGS.some((one) => one === action)
    ? { most: ACCOUNT_CAPS.endingsADay, counts: 'endings' }
    : { most: ACCOUNT_CAPS.changesADay, counts: 'others' };
}
