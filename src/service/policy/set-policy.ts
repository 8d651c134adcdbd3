import type { ApiKey } from '../../core/caller/caller.ts';
import { DEFAULT_POLICY, type PolicyDocument } from '../../core/policy/policy.ts';
import { readPolicy } from '../../core/policy/read-policy.ts';
import { said } from '../../core/texts/said.ts';
import type { AccountStore, By } from '../accounts/account-store.ts';
import { Problem } from '../problem.ts';

/** @throws Problem not_found @param accountId restricts it to that account's keys */
export async function keyOf(store: Pick<AccountStore, 'keys'>, id: string, accountId?: string): Promise<ApiKey> {
  const key = (await store.keys(accountId)).find((one) => one.id === id);
  if (key === undefined)
    throw new Problem('not_found', { message: said('There is no key {id}.', { id: JSON.stringify(id) }) });
  return key;
}

export const policyInForce = ({ policy = DEFAULT_POLICY }: Pick<ApiKey, 'policy'>): PolicyDocument => policy.document;

/**
 * Replaces the policy of a key, on every node within two seconds.
 * @param document undefined for the default
 * @throws Problem bad_request with the first fault of the document; not_found
 */
export async function setPolicy(
  store: Pick<AccountStore, 'changeKey'>,
  id: string,
  document: unknown,
  by: By,
  accountId?: string,
): Promise<PolicyDocument> {
  const policy = document === undefined ? undefined : readPolicy(document);
  if (typeof policy === 'string') throw new Problem('bad_request', { message: policy });
  const key = await store.changeKey(id, { policy: policy?.document ?? null }, by, accountId);
  if (key === 'unknown_key')
    throw new Problem('not_found', { message: said('There is no key {id}.', { id: JSON.stringify(id) }) });
  return policyInForce(key);
}
