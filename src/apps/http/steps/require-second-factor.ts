import { Problem } from '../../../service/problem.ts';
import type { Session } from '../../../service/sign-in/session.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Where the account must have a second factor (`pulse account set ID --require-factor on`), only a session that was authenticated with one. Keys are not asked:
 * they cannot be made without it.
 */
export function requireSecondFactor({ session }: Exchange): void {
  if (session === undefined || !lacksFactor(session)) return;
  throw new Problem('forbidden', {
    message: 'This needs a second factor: set one up in the profile.',
    extras: { next_step: 'set_up_second_factor' },
  });
}

/** Whether the account must have a second factor and this session was authenticated without one. */
export const lacksFactor = ({ account, amr }: Pick<Session, 'account' | 'amr'>): boolean =>
  account.requireFactor === true && amr.every((method) => method === 'pwd');
