import type { ApiKey } from '../../core/caller/caller.ts';
import { said } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By } from './account-store.ts';

/** Revokes a key, on every node within two seconds. @param accountId restricts it to that account's keys */
export async function revokeKey(store: AccountStore, id: string, by: By, accountId?: string): Promise<ApiKey> {
  const key = await store.revokeKey(id, by, accountId);
  if (key === 'unknown_key')
    throw new Problem('not_found', { message: said('There is no key {id}.', { id: JSON.stringify(id) }) });
  return key;
}

export async function revokeKeys(
  store: Pick<AccountStore, 'keys' | 'revokeKey'>,
  accountId: string,
  by: By,
): Promise<void> {
  for (const { id, revokedAt } of await store.keys(accountId))
    if (revokedAt === undefined) await store.revokeKey(id, by, accountId);
}
