import { ACCOUNT_CAPS } from './account-caps.ts';

/**
 * Changes that remove access or use up a one-time thing. They have their own cap, so that an attacker who
 * fills the log through a stolen session cannot keep the owner from ending it. They are limited by the number
 * of things they end, except for new passwords, which need the old one.
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
 * Events with one row per actor, subject and hour, regardless of how often they happen. They need no cap and
 * count towards none.
 * `operator.refuse`: a failed sign-in of an operator, or a request for the operator pages without permission.
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

export interface AuditCap {
  readonly most: number;
  readonly counts: 'endings' | 'others' | 'all';
}

export function auditCap(actor: string, action: string): AuditCap | undefined {
  if (actor.startsWith('operator:')) return { most: ACCOUNT_CAPS.operatorChangesADay, counts: 'all' };
  if (!actor.startsWith('user:')) return undefined;
  return ENDINGS.some((one) => one === action)
    ? { most: ACCOUNT_CAPS.endingsADay, counts: 'endings' }
    : { most: ACCOUNT_CAPS.changesADay, counts: 'others' };
}
