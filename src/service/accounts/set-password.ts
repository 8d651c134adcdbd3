import { randomBytes } from 'node:crypto';
import { said } from '../../core/texts/said.ts';
import { Problem } from '../problem.ts';
import type { AccountStore, By } from './account-store.ts';
import { checkPassword } from './create-account.ts';
import { hashPassword } from './password.ts';
import { revokeKeys } from './revoke-key.ts';

export interface PasswordChange {
  readonly store: Pick<AccountStore, 'account' | 'setPasswordHash' | 'keys' | 'revokeKey'>;
  readonly signOut: (accountId: string, by: By) => Promise<void>;
}

interface PasswordWish {
  readonly chosen: string | undefined;
  readonly alsoKeys: boolean;
}

const GENERATED_BYTES = 18;

/**
 * Sets a new password for an owner who forgot theirs where mail cannot be sent.
 * @param options.chosen the new password; default: a generated one
 * @param options.alsoKeys revokes the account's keys too
 * @returns the password in force, to be shown once
 * @throws Problem bad_request for an unknown account or a refused password
 */
export async function setPassword(
  { store, signOut }: PasswordChange,
  accountId: string,
  { chosen, alsoKeys }: PasswordWish,
  by: By,
): Promise<string> {
  const account = await store.account(accountId);
  if (account === undefined)
    throw new Problem('bad_request', {
      message: said('There is no account {id}.', { id: JSON.stringify(accountId) }),
    });
  const password = chosen ?? randomBytes(GENERATED_BYTES).toString('base64url');
  checkPassword(password, account.email);
  await store.setPasswordHash(account.id, await hashPassword(password), by);
  await signOut(account.id, by);
  if (alsoKeys) await revokeKeys(store, account.id, by);
  return password;
}
