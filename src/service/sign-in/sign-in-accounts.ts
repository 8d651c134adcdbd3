import { randomBytes } from 'node:crypto';
import type { UnixMs } from '../../core/units.ts';
import { defaultOptions } from '../accounts/account.ts';
import type { AccountStore, NewAccount } from '../accounts/account-store.ts';
import { revokeKeys } from '../accounts/keys.ts';
import { newId } from '../new-id.ts';
import type { SignInAccounts } from './sign-in.ts';

/**
 * Adapts the account store to sign-in.
 * @param forget drops this thread's cached account before the change arrives
 */
export function signInAccounts(store: AccountStore, forget: (accountId: string) => Promise<void>): SignInAccounts {
  const create = async (wish: Omit<NewAccount, 'id'>, at: UnixMs): Promise<string | undefined> => {
    const id = newId('acc', randomBytes);
    const made = await store.createAccount({ id, ...wish }, { actor: `user:${id}`, at });
    if (made === 'unknown_plan') throw new Error(`there is no plan ${wish.plan}, which new accounts get`);
    return made === 'email_taken' ? undefined : made.id;
  };
  return {
    byEmail: (email) => store.credentials({ email }),
    byId: (id) => store.credentials({ id }),
    create: (email, passwordHash, at) => create({ email, passwordHash, ...defaultOptions({ operator: false }) }, at),
    createOperator: (email, passwordHash, at) =>
      create({ email, passwordHash, verified: true, ...defaultOptions({ operator: true }) }, at),
    createOfCompany: (email, operator, at) => create({ email, verified: true, ...defaultOptions({ operator }) }, at),
    async setOperator(id, operator, at) {
      await store.changeAccount(id, { operator }, { actor: 'system', at });
      await forget(id);
    },
    hasOperator: () => store.hasOperator(),
    async markVerified(id, at) {
      await store.changeAccount(id, { verified: true }, { actor: `user:${id}`, at });
      await forget(id);
    },
    async setPassword(id, hash, at) {
      await store.setPasswordHash(id, hash, { actor: `user:${id}`, at });
    },
    async revokeKeys(id, at) {
      await revokeKeys(store, id, { actor: `user:${id}`, at });
      await forget(id);
    },
  };
}

/**
 * PULSE_SIGNUP decides who creates accounts on the site. `open`: every visitor, at once. `mail`: a visitor
 * who follows a mailed link. `off`: only the operator.
 */
export type SignUpPolicy = 'open' | 'mail' | 'off';
