import { said } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountChanges, AccountStore, By, StoredAccount } from './account-store.ts';
import { unknownPlan } from './create-account.ts';

/** Changes an account. Overrides survive a change of plan. */
export async function setAccount(
  store: AccountStore,
  id: string,
  changes: AccountChanges,
  by: By,
): Promise<StoredAccount> {
  const account = await store.changeAccount(id, changes, by);
  if (account === 'unknown_account')
    throw new Problem('not_found', { message: said('There is no account {id}.', { id: JSON.stringify(id) }) });
  if (account === 'unknown_plan') throw await unknownPlan(store, changes.plan ?? '');
  return account;
}
