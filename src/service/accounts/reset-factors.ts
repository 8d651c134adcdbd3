import { said } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By } from './account-store.ts';
import type { SecondFactorStore } from './second-factor-store.ts';

export interface FactorReset {
  readonly store: Pick<AccountStore, 'account'>;
  readonly factors: Pick<SecondFactorStore, 'removeAll'>;
  readonly signOut: (accountId: string, by: By) => Promise<void>;
}

/** All sessions and apps end too. @returns the number of removed factors */
export async function resetFactors(
  { store, factors, signOut }: FactorReset,
  accountId: string,
  by: By,
): Promise<number> {
  if ((await store.account(accountId)) === undefined)
    throw new Problem('bad_request', {
      message: said('There is no account {id}.', { id: JSON.stringify(accountId) }),
    });
  const removed = await factors.removeAll(accountId, by);
  await signOut(accountId, by);
  return removed;
}
