import type { FastifyInstance } from 'fastify';
import type { ConsoleAccount, ConsoleAuditEntry, ConsoleFeed } from '../../contract/console.ts';
import type { AccountChanges, AccountStore, AuditEntry } from '../../service/account-store.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { Clock } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { setAccount } from '../../service/set-account.ts';
import { accountDocument } from './account-document.ts';
import { sessionOf } from './session/session-of.ts';

/** What the operator pages see of the feeds. */
export interface FeedDesk {
  list(): readonly ConsoleFeed[];
  /** Asks for a reading now. False: there is no such feed, or nothing is fetched on this machine (PULSE_FEEDS=off). */
  refresh(id: string): boolean;
}

export interface OperatorRoutesOptions {
  readonly accounts: AccountStore;
  readonly feeds: FeedDesk;
  readonly clock: Clock;
}

const AUDIT_ROWS = 200;

/**
 * Pages of accounts marked operator, below /console/api/operator. The mark is read again at every request.
 *
 *     GET   /feeds                {feeds}
 *     POST  /feeds/{id}/refresh   202
 *     GET   /accounts             {accounts, plans}
 *     PATCH /accounts/{id}        {plan?, dpa?, phone?}
 *     GET   /audit                {entries}, newest first
 */
export function operatorRoutes(parent: FastifyInstance, { accounts, feeds, clock }: OperatorRoutesOptions): void {
  parent.register(async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    app.get('/console/api/operator/feeds', async (): Promise<{ readonly feeds: readonly ConsoleFeed[] }> => {
      return { feeds: feeds.list() };
    });

    app.post('/console/api/operator/feeds/:id/refresh', async (request, reply) => {
      const { id } = request.params as { readonly id: string };
      if (!feeds.refresh(id)) throw new Problem('not_found', { message: 'There is no such feed, or this machine fetches none.' });
      return reply.code(202).send({ asked: id });
    });

    app.get('/console/api/operator/accounts', async (): Promise<{ readonly accounts: readonly ConsoleAccount[]; readonly plans: readonly string[] }> => {
      const [all, plans] = await Promise.all([accounts.accounts(), accounts.plans()]);
      return { accounts: all.map(accountDocument), plans: plans.map((plan) => plan.name) };
    });

    app.patch('/console/api/operator/accounts/:id', async (request): Promise<ConsoleAccount> => {
      const { account } = sessionOf(request);
      const { id } = request.params as { readonly id: string };
      return accountDocument(await setAccount(accounts, id, readChanges(request.body), { actor: `operator:${account.id}`, at: clock.now() }));
    });

    app.get('/console/api/operator/audit', async (): Promise<{ readonly entries: readonly ConsoleAuditEntry[] }> => {
      return { entries: (await accounts.audit({ limit: AUDIT_ROWS })).map(entryDocument) };
    });
  });
}

/** @throws Problem bad_request */
function readChanges(body: unknown): AccountChanges {
  const { plan, dpa, phone } = (typeof body === 'object' && body !== null ? body : {}) as Readonly<Record<string, unknown>>;
  if (plan !== undefined && typeof plan !== 'string') throw new Problem('bad_request', { message: 'plan must be a name.' });
  for (const [name, value] of Object.entries({ dpa, phone }))
    if (value !== undefined && typeof value !== 'boolean') throw new Problem('bad_request', { message: `${name} must be true or false.` });
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(dpa === undefined ? {} : { dpa: dpa === true }),
    ...(phone === undefined ? {} : { phone: phone === true }),
  };
}

const entryDocument = ({ at, actor, action, subject, detail }: AuditEntry): ConsoleAuditEntry => ({ at: isoTime(at), actor, action, subject, detail });
