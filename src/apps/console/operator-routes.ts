import type { FastifyInstance, FastifyRequest } from 'fastify';
import type {
  ConsoleAccepted,
  ConsoleAccount,
  ConsoleAccountPage,
  ConsoleAuditPage,
  ConsoleFault,
  ConsoleFeed,
  ConsoleFeedPage,
  ConsoleToday,
} from '../../contract/console.ts';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import { accountCounter } from '../../core/quota/allowances.ts';
import { deleteAccount, setAccount } from '../../service/accounts/account.ts';
import type { AccountChanges, AccountQuery, AccountStore } from '../../service/accounts/account-store.ts';
import type { AcceptOutcome } from '../../service/feeds/accept-quarantined.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { Clock, Ledger } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { accountDocument, auditDocument } from './documents.ts';
import { bodyOf, byOperator, fieldsOf, sessionOf } from './session/session-of.ts';
import type { TodayCounts } from './today-counts.ts';

export interface FeedAdmin {
  list(): readonly ConsoleFeed[];
  /** Starts a reading now. False for an unknown feed, or if this machine does not fetch (PULSE_FEEDS=off). */
  refresh(id: string): boolean;
  /** Stops or resumes reading and expecting a feed. Undefined for an unknown feed. */
  turn(id: string, to: 'off' | 'on'): ConsoleFeed | undefined;
  accept(id: string, digest: string): Promise<AcceptOutcome>;
}

export interface OperatorRoutesOptions {
  readonly accounts: AccountStore;
  readonly feeds: FeedAdmin;
  readonly faults: () => readonly ConsoleFault[];
  readonly clock: Clock;
  readonly ledger: Pick<Ledger, 'usageOf'>;
  /** Undefined where requests are not counted. */
  readonly today: Pick<TodayCounts, 'seen'> | undefined;
}

/** Accounts that the day is summed over, and callers that it names. */
const CALLERS = { of: 5000, shown: 10 };
const AUDIT_ROWS = 200;
const ACCOUNTS_A_PAGE = 50;

/**
 * Operator pages, below /console/api/operator. Every request reads the account's operator mark again. Pages
 * are newest first, and `after` is the `next` of the previous page.
 *
 *     GET   /feeds                {feeds, faults}
 *     POST  /feeds/{id}/refresh   202
 *     PATCH /feeds/{id}           {off}
 *     POST  /feeds/{id}/accept    {digest}: accepts the reading in quarantine
 *     GET   /accounts             {accounts, plans, next?}; ?search= part of the address, or the id; ?after=
 *     PATCH /accounts/{id}        {plan?, dpa?, phone?, verified?, disabled?}
 *     DELETE /accounts/{id}       204: the account is gone with everything of it
 *     GET   /today                {since, requests, refusals, callers}
 *     GET   /audit                {entries, next?}; ?after=
 */
export function operatorRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  feedRoutes(app, options);
  accountRoutes(app, options);
  todayRoutes(app, options);
}

function feedRoutes(app: FastifyInstance, { accounts, feeds, faults, clock }: OperatorRoutesOptions): void {
  app.get('/console/api/operator/feeds', async (): Promise<ConsoleFeedPage> => {
    return { feeds: feeds.list(), faults: faults() };
  });

  app.post('/console/api/operator/feeds/:id/refresh', async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    if (!feeds.refresh(id))
      throw new Problem('not_found', { message: 'There is no such feed, or this machine fetches none.' });
    return reply.code(202).send({ asked: id });
  });

  app.patch('/console/api/operator/feeds/:id', async (request): Promise<ConsoleFeed> => {
    const { id } = request.params as { readonly id: string };
    const { off } = bodyOf(request);
    if (typeof off !== 'boolean') throw new Problem('bad_request', { message: 'off must be true or false.' });
    const to = off ? 'off' : 'on';
    const feed = feeds.turn(id, to);
    if (feed === undefined) throw new Problem('not_found', { message: 'There is no such feed.' });
    await accounts.note(`feed.${to}`, id, {}, byOperator(request, clock));
    return feed;
  });

  app.post('/console/api/operator/feeds/:id/accept', async (request): Promise<ConsoleAccepted> => {
    const { id } = request.params as { readonly id: string };
    const { digest } = bodyOf(request);
    if (typeof digest !== 'string')
      throw new Problem('bad_request', { message: 'digest must name the reading that is accepted.' });
    const accepted = acceptedDocument(await feeds.accept(id, digest));
    await accounts.note(
      'feed.accept',
      id,
      { digest: accepted.digest, rows: accepted.rows, run_at: accepted.run_at },
      byOperator(request, clock),
    );
    return accepted;
  });
}

async function usedToday(
  { ledger, clock }: OperatorRoutesOptions,
  accounts: readonly Pick<Account, 'id'>[],
): Promise<readonly number[]> {
  const [today] = await ledger.usageOf(accounts.map(accountCounter), clock.now(), 1);
  return today!.map(({ used }) => used);
}

function accountRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  const { accounts, clock } = options;
  app.get('/console/api/operator/accounts', async (request): Promise<ConsoleAccountPage> => {
    const [page, plans] = await Promise.all([
      accounts.findAccounts({ ...readQuestion(request.query), limit: ACCOUNTS_A_PAGE }),
      accounts.plans(),
    ]);
    const used = await usedToday(options, page.accounts);
    const keys = await Promise.all(page.accounts.map(({ id }) => accounts.keys(id)));
    const now = clock.now();
    const isActive = ({ revokedAt, expiresAt }: ApiKey): boolean =>
      revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
    return {
      ...page,
      accounts: page.accounts.map((account, i) => ({
        ...accountDocument(account),
        used_today: used[i]!,
        per_day: account.perDay,
        per_min: account.perMin,
        active_keys: keys[i]!.filter(isActive).length,
      })),
      plans: plans.map((plan) => plan.name),
    };
  });

  app.patch('/console/api/operator/accounts/:id', async (request): Promise<ConsoleAccount> => {
    const { id } = request.params as { readonly id: string };
    const changes = readChanges(request.body);
    if (changes.disabled === true) refuseOwn(request, id);
    return accountDocument(await setAccount(accounts, id, changes, byOperator(request, clock)));
  });

  app.delete('/console/api/operator/accounts/:id', async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    refuseOwn(request, id);
    await deleteAccount(accounts, id, byOperator(request, clock));
    return reply.code(204).send();
  });
}

function todayRoutes(app: FastifyInstance, options: OperatorRoutesOptions): void {
  const { accounts, clock, today } = options;
  app.get('/console/api/operator/today', async (): Promise<ConsoleToday> => {
    const { accounts: all } = await accounts.findAccounts({ limit: CALLERS.of });
    const used = await usedToday(options, all);
    return {
      ...(today?.seen() ?? { since: isoTime(clock.now()), requests: [], refusals: [] }),
      callers: all
        .map(({ id, email, perDay }, i) => ({ id, email, used: used[i]!, per_day: perDay }))
        .filter((caller) => caller.used > 0)
        .sort((a, b) => b.used - a.used)
        .slice(0, CALLERS.shown),
    };
  });

  app.get('/console/api/operator/audit', async (request): Promise<ConsoleAuditPage> => {
    const before = readSequence(request.query);
    const rows = await accounts.audit({ ...(before !== undefined && { before }), limit: AUDIT_ROWS + 1 });
    const shown = rows.slice(0, AUDIT_ROWS);
    return {
      entries: shown.map(auditDocument),
      ...(rows.length > AUDIT_ROWS && { next: String(shown.at(-1)!.seq) }),
    };
  });
}

/** @throws Problem bad_request about the operator's own account, which would shut its holder out */
function refuseOwn(request: FastifyRequest, id: string): void {
  if (sessionOf(request).account.id === id)
    throw new Problem('bad_request', { message: 'Your own account is changed in its profile.' });
}

/** @throws Problem not_found; bad_request if the quarantine holds another reading than the one inspected */
function acceptedDocument(outcome: AcceptOutcome): ConsoleAccepted {
  if (outcome.status === 'none')
    throw new Problem('not_found', { message: 'No reading of this feed is in quarantine any more.' });
  if (outcome.status === 'replaced')
    throw new Problem('bad_request', {
      message: 'Another reading of this feed is in quarantine by now: look at it first.',
    });
  const { content, rows, runAt, changed } = outcome;
  return { digest: content, rows, run_at: isoTime(runAt), changed };
}

/** @throws Problem bad_request for a repeated parameter, or one longer than any address */
function readQuestion(query: unknown): Omit<AccountQuery, 'limit'> {
  const { search, plan, after } = fieldsOf(query);
  for (const [name, value] of Object.entries({ search, plan, after }))
    if (value !== undefined && (typeof value !== 'string' || value.length > 254))
      throw new Problem('bad_request', { message: `${name} must be one text.` });
  const wanted = typeof search === 'string' ? search.trim() : '';
  return {
    ...(wanted !== '' && { search: wanted }),
    ...(typeof plan === 'string' && plan !== '' && { plan }),
    ...(typeof after === 'string' && after !== '' && { after }),
  };
}

/** Returns the position after which the page begins. @throws Problem bad_request */
function readSequence(query: unknown): number | undefined {
  const { after } = fieldsOf(query);
  if (after === undefined || after === '') return undefined;
  if (typeof after !== 'string' || !/^\d{1,15}$/.test(after))
    throw new Problem('bad_request', { message: 'after must be the next of a page.' });
  return Number(after);
}

function readChanges(body: unknown): AccountChanges {
  const { plan, dpa, phone, verified, disabled } = fieldsOf(body);
  if (plan !== undefined && typeof plan !== 'string')
    throw new Problem('bad_request', { message: 'plan must be a name.' });
  for (const [name, value] of Object.entries({ dpa, phone, verified, disabled }))
    if (value !== undefined && typeof value !== 'boolean')
      throw new Problem('bad_request', { message: `${name} must be true or false.` });
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(dpa === undefined ? {} : { dpa: dpa === true }),
    ...(phone === undefined ? {} : { phone: phone === true }),
    ...(verified === undefined ? {} : { verified: verified === true }),
    ...(disabled === undefined ? {} : { disabled: disabled === true }),
  };
}
