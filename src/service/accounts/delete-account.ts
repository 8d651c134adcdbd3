import { said } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By } from './account-store.ts';

/** Deletes an account. Its sessions and apps end at once, its keys within two seconds on every node. */
export async function deleteAccount(store: Pick<AccountStore, 'deleteAccount'>, id: string, by: By): Promise<void> {
  if (!(await store.deleteAccount(id, by)))
    throw new Problem('not_found', { message: said('There is no account {id}.', { id: JSON.stringify(id) }) });
}
