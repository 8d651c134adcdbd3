import { english } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By } from './account-store.ts';
import type { SecondFactorStore } from './second-factor-store.ts';

export interface FactorReset {
  readonly store: Pick<AccountStore, 'account'>;
  readonly factors: Pick<SecondFactorStore, 'removeAll'>;
  /** Ends every session and every authorised app. */
  readonly signOut: (accountId: string, by: By) => Promise<void>;
}

/** Takes every second factor and recovery code; sessions and apps end. @returns how many factors */
export async function resetFactors(
  { store, factors, signOut }: FactorReset,
  accountId: string,
  by: By,
): Promise<number> {
  if ((await store.account(accountId)) === undefined)
    throw new Problem('bad_request', {
      message: english('There is no account {id}.', { id: JSON.stringify(accountId) }),
    });
  const removed = await factors.removeAll(accountId, by);
  await signOut(accountId, by);
  return removed;
}
