import type { Accounts } from '../../src/adapters/accounts/open-accounts.ts';
import { loadSecret } from '../../src/adapters/data-folder/deployment-secret.ts';
import { SqlSessionStore } from '../../src/adapters/sign-in/sql-sign-in-store.ts';
import { sessionCookie } from '../../src/apps/console/session/cookies.ts';
import { unixMs } from '../../src/core/units.ts';
import { Sessions } from '../../src/service/sign-in/session.ts';

export interface SessionOpener {
  /** Returns the headers of a browser that has just signed in to the account. */
  open(accountId: string): Promise<Record<string, string>>;
  isOpen(headers: Readonly<Record<string, string>>): Promise<boolean>;
}

/** Puts sessions into a server's records, because an account may sign in by password only so often an hour. */
export function sessionOpener(
  accounts: Accounts,
  { base, dataDir }: { readonly base: string; readonly dataDir: string },
): SessionOpener {
  const sessions = new Sessions({
    store: new SqlSessionStore(accounts.db),
    account: (id) => accounts.store.account(id),
    secret: loadSecret({ dataDir, secret: undefined }).subkey('cookie'),
    idleMs: 43_200_000,
  });
  const cookie = sessionCookie(base);
  return {
    isOpen: async (headers) => (await sessions.find(cookie.read(headers['cookie']), unixMs(Date.now()))) !== undefined,
    async open(accountId) {
      const at = unixMs(Date.now());
      const { token, expiresAt } = await sessions.open(accountId, ['pwd'], { country: undefined, agent: '' }, at);
      const { csrf } = (await sessions.find(token, at))!;
      return { cookie: cookie.set(token, at, expiresAt).split(';')[0]!, 'x-csrf-token': csrf, origin: base };
    },
  };
}
