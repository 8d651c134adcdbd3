import { randomBytes } from 'node:crypto';
import { said } from '../../core/texts/said.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { AccountChanges, AccountStore, By, NewAccount, StoredAccount } from './account-store.ts';
import { revokeKeys } from './keys.ts';
import { checkNewPassword, hashPassword } from './password.ts';
import type { SecondFactorStore } from './second-factor-store.ts';

export interface AccountOptions {
  readonly email: string;
  readonly password?: string;
  readonly plan?: string;
  readonly dpa?: boolean;
  readonly phone?: boolean;
  readonly operator?: boolean;
}

export const defaultOptions = ({
  operator,
}: {
  readonly operator: boolean;
}): Pick<NewAccount, 'plan' | 'dpa' | 'phone' | 'operator'> =>
  operator
    ? { plan: 'private', dpa: true, phone: true, operator }
    : { plan: 'free', dpa: false, phone: false, operator };

/** Creates an account on behalf of an operator, who vouches for its address. @throws Problem bad_request */
export async function createAccount(store: AccountStore, options: AccountOptions, by: By): Promise<StoredAccount> {
  const email = checkEmail(options.email);
  if (options.password !== undefined) checkPassword(options.password, email);
  const { password: _, ...chosen } = options;
  const made = await store.createAccount(
    {
      id: newId('acc', randomBytes),
      verified: true,
      ...defaultOptions({ operator: options.operator ?? false }),
      ...chosen,
      email,
      ...(options.password === undefined ? {} : { passwordHash: await hashPassword(options.password) }),
    },
    by,
  );
  if (made === 'email_taken')
    throw new Problem('bad_request', { message: said('There is an account with this e-mail address already.') });
  if (made === 'unknown_plan') throw await unknownPlan(store, options.plan ?? '');
  return made;
}

function checkPassword(password: string, email: string): void {
  const fault = checkNewPassword(password, email);
  if (fault !== undefined) throw new Problem('bad_request', { message: said(PASSWORD_FAULTS[fault]) });
}

async function unknownPlan(store: AccountStore, plan: string): Promise<Problem> {
  const names = (await store.plans()).map(({ name }) => name).join(', ');
  return new Problem('bad_request', {
    message: said('There is no plan {plan}; there are: {names}.', { plan: JSON.stringify(plan), names }),
  });
}

function checkEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (text !== text.normalize('NFKC') || email.length > 254 || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email))
    throw new Problem('bad_request', { message: said('The e-mail address is not one.') });
  return email;
}

const PASSWORD_FAULTS = {
  too_short: 'The password is too short: at least 10 characters.',
  too_long: 'The password is too long: at most 256 characters.',
  too_plain: 'The password is one of those that are tried first.',
} as const;

/** Deletes an account. Its sessions and apps end at once, its keys within two seconds on every node. */
export async function deleteAccount(store: Pick<AccountStore, 'deleteAccount'>, id: string, by: By): Promise<void> {
  if (!(await store.deleteAccount(id, by)))
    throw new Problem('not_found', { message: said('There is no account {id}.', { id: JSON.stringify(id) }) });
}

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

interface FactorReset {
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

interface PasswordChange {
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
