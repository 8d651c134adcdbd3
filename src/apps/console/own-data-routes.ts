import type { FastifyInstance } from 'fastify';
import type { ConsoleExport } from '../../contract/console.ts';
import { keyCounter } from '../../core/quota/allowances.ts';
import { deleteAccount } from '../../service/accounts/account.ts';
import type { AccountStore } from '../../service/accounts/account-store.ts';
import { describeUsage } from '../../service/accounts/describe-usage.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { Clock, Ledger } from '../../service/ports.ts';
import type { AuthorisedApps } from '../../service/sign-in/authorised-apps.ts';
import type { SecondFactors } from '../../service/sign-in/second-factors.ts';
import { isOfCompany, type Sessions } from '../../service/sign-in/session.ts';
import type { SignIn } from '../../service/sign-in/sign-in.ts';
import type { IdentityStore } from '../../service/sign-in/sign-in-ports.ts';
import {
  accountDocument,
  appDocument,
  auditDocument,
  factorsDocument,
  keyDocument,
  sessionDocument,
} from './documents.ts';
import type { SessionCookie } from './session/cookies.ts';
import { bodyOf, sessionOf } from './session/session-of.ts';

export interface OwnDataRoutesOptions {
  readonly accounts: AccountStore;
  readonly signIn: Pick<SignIn, 'confirmPassword'>;
  readonly apps: Pick<AuthorisedApps, 'list'>;
  readonly factors: Pick<SecondFactors, 'status'>;
  readonly identities: Pick<IdentityStore, 'all'>;
  readonly sessions: Pick<Sessions, 'list'>;
  readonly ledger: Pick<Ledger, 'usageOf'>;
  readonly cookie: SessionCookie;
  readonly clock: Clock;
  readonly quotaTz: string;
  readonly phone: boolean;
  /** Drops this thread's cached account before the change arrives. */
  readonly forget: (accountId: string) => Promise<void>;
}

/** An export has only the newest rows of the audit log. */
const AUDIT_ROWS = 1000;

/**
 * Owners' requests about their own data, below /console/api.
 *
 *     GET  /account/export        a file of everything stored about the account
 *     POST /account/delete        {password}: deletes the account; no password where the company's provider
 *                                 proved the holder
 */
export function ownDataRoutes(app: FastifyInstance, options: OwnDataRoutesOptions): void {
  const { accounts, signIn, apps, factors, identities, sessions, ledger, cookie, clock, quotaTz, phone, forget } =
    options;

  app.get('/console/api/account/export', async (request, reply) => {
    const { id, account } = sessionOf(request);
    const now = clock.now();
    const keys = await accounts.keys(account.id);
    const [today] = await ledger.usageOf(keys.map(keyCounter), now, 1);
    reply.header('content-disposition', 'attachment; filename="pulse-account.json"');
    const document: ConsoleExport = {
      exported_at: isoTime(now),
      account: accountDocument(account),
      keys: keys.map((key, index) => keyDocument(key, today![index]!.used)),
      apps: (await apps.list(account.id, now)).map(appDocument),
      factors: factorsDocument(await factors.status(account.id), account),
      identities: (await identities.all(account.id)).map(({ issuer, subject, linkedAt }) => ({
        issuer,
        subject,
        linked_at: isoTime(linkedAt),
      })),
      sessions: (await sessions.list(account.id, now)).map((row) => sessionDocument(row, row.id === id)),
      usage: await describeUsage(ledger, { account, keys, now, quotaTz, phone }),
      audit: (await accounts.audit({ subject: account.id, limit: AUDIT_ROWS })).map(auditDocument),
    };
    return document;
  });

  app.post('/console/api/account/delete', async (request, reply) => {
    const { account, amr } = sessionOf(request);
    const at = clock.now();
    // A person of the company may have no password and has proved themselves at the provider (`requireFresh`).
    if (!isOfCompany(amr)) await signIn.confirmPassword(account.id, bodyOf(request)['password'], { at });
    await deleteAccount(accounts, account.id, { actor: `user:${account.id}`, at });
    await forget(account.id);
    return reply.code(204).header('set-cookie', cookie.clear()).send();
  });
}
