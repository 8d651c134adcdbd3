import { randomBytes } from 'node:crypto';
import type { AccountStore } from '../../service/account-store.ts';
import { DEFAULT_PLAN } from '../../service/create-account.ts';
import { newId } from '../../service/new-id.ts';
import { revokeKeys } from '../../service/revoke-key.ts';
import type { SignInAccounts } from '../../service/sign-in.ts';

/**
 * Accounts as sign-in needs them.
 * @param forget drops what this thread remembers of an account, before it hears of the change
 */
export function signInAccounts(store: AccountStore, forget: (accountId: string) => Promise<void>): SignInAccounts {
  return {
    byEmail: (email) => store.credentials({ email }),
    byId: (id) => store.credentials({ id }),
    async create(email, passwordHash, at) {
      const id = newId('acc', randomBytes);
      const made = await store.createAccount({ id, email, plan: DEFAULT_PLAN, passwordHash, dpa: false, phone: false }, { actor: `user:${id}`, at });
      if (made === 'unknown_plan') throw new Error(`there is no plan ${DEFAULT_PLAN}, which new accounts get`);
      return made === 'email_taken' ? undefined : made.id;
    },
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
