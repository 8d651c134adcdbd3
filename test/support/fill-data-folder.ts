import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Insertable, Kysely } from 'kysely';
import { type Accounts, openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { poolNumberOf } from '../../src/adapters/counters/memory/charge-record.ts';
import { type Total, writeTotals } from '../../src/adapters/counters/memory/day-totals.ts';
import { IdHash } from '../../src/adapters/counters/memory/id-hash.ts';
import { prepareLedgerFolder } from '../../src/adapters/counters/memory/ledger-files.ts';
import type { Database } from '../../src/adapters/database/tables.ts';
import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { openFeedStates } from '../../src/adapters/feeds/open-feeds.ts';
import { SqlOAuthStore } from '../../src/adapters/oauth/sql-oauth-store.ts';
import { keyCounter } from '../../src/core/quota/allowances.ts';
import { type QuotaId, quotaDayIn } from '../../src/core/quota/quota.ts';
import { said } from '../../src/core/texts/said.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import { createAccount } from '../../src/service/accounts/account.ts';
import type { By } from '../../src/service/accounts/account-store.ts';
import { createKey } from '../../src/service/accounts/keys.ts';
import type { QuarantinedReading } from '../../src/service/feeds/feed-ports.ts';
import { randomBelow } from './random.ts';

/** The folder has the size of an installation of a few years. */
const SIZE = {
  /** The account makes as many keys as it may, but ten; most of them are revoked. */
  keys: 990,
  sessions: 50,
  /** The account let in this many apps; as many further clients were let in by none. */
  apps: 200,
  days: 62,
  countersADay: 100_000,
  /** A tenth of them is about the account that is filled. */
  auditRows: 100_000,
  accounts: 20_000,
} as const;

interface FilledAccount {
  readonly id: string;
  readonly key: string;
}

/**
 * Makes a data folder that was used fully for long. It has an operator with all an account may have, closed days
 * of quota, the audit log, and feeds in quarantine.
 */
export async function fillDataFolder(dataDir: string, at: UnixMs): Promise<FilledAccount> {
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  try {
    const filled = await fillAccount(accounts, at);
    await accounts.db.transaction().execute(async (trx) => {
      await addOthers(trx, SIZE.accounts, at);
      await addClients(trx, SIZE.apps, at);
      await addAudit(trx, SIZE.auditRows, filled, at);
    });
    const keys = await accounts.store.keys(filled.id);
    fillQuotaDays(dataDir, [`account:${filled.id}`, ...keys.map(keyCounter)], at);
    await fillFeeds(dataDir, at);
    return filled;
  } finally {
    await accounts.close();
  }
}

async function fillAccount({ db, store, hasher }: Accounts, at: UnixMs): Promise<FilledAccount> {
  const by: By = { actor: 'cli', at: unixMs(at - 300 * DAY_MS) };
  const { id } = await createAccount(
    store,
    { email: 'owner@example.com', plan: 'enterprise', dpa: true, phone: true, operator: true },
    by,
  );
  const { secret } = await createKey(store, hasher, { accountId: id, name: 'live' }, by);
  await db.transaction().execute(async (trx) => {
    await addKeys(trx, id, SIZE.keys - 1, by.at);
    await addSessions(trx, id, SIZE.sessions, at);
    await addApps(trx, id, SIZE.apps, at);
  });
  return { id, key: secret };
}

/** SQLite takes 32,766 values in one statement. */
const ROWS = 1000;

type Table = keyof Database;

async function insert<T extends Table>(
  db: Kysely<Database>,
  table: T,
  count: number,
  row: (index: number) => Insertable<Database[T]>,
): Promise<void> {
  for (let from = 0; from < count; from += ROWS) {
    const rows = Array.from({ length: Math.min(ROWS, count - from) }, (_, index) => row(from + index));
    await db
      .insertInto(table)
      .values(rows as never)
      .execute();
  }
}

const code = (): string => randomBytes(24).toString('base64url');
const ACTIVE = 80;

const addKeys = (db: Kysely<Database>, accountId: string, count: number, at: number): Promise<void> =>
  insert<'api_keys'>(db, 'api_keys', count, (n) => ({
    id: `key_${code()}`,
    account_id: accountId,
    name: `key number ${n}`,
    hash: code(),
    prefix: 'pk_abcdef',
    per_day: 1000,
    expires_at: null,
    revoked_at: n < ACTIVE ? null : at + n,
    phone: 1,
    sends: null,
    created_at: at + n,
    last_used_at: at + n,
  }));

const addSessions = (db: Kysely<Database>, accountId: string, count: number, at: number): Promise<void> =>
  insert<'sessions'>(db, 'sessions', count, (n) => ({
    id: code(),
    account_id: accountId,
    created_at: at - n * HOUR_MS,
    expires_at: at + DAY_MS,
    seen_at: at,
    amr: 'pwd',
    agent: '',
    authenticated_at: at - n * HOUR_MS,
  }));

const addOthers = (db: Kysely<Database>, count: number, at: number): Promise<void> =>
  insert<'accounts'>(db, 'accounts', count, (n) => ({
    id: `acc_${code()}`,
    email: `customer-${n}@customers.example`,
    password_hash: null,
    plan: 'free',
    per_min: null,
    per_day: null,
    overage_pct: null,
    phone_per_min: null,
    phone_per_day: null,
    history_days: null,
    dpa: 0,
    phone: 0,
    operator: 0,
    disabled: 0,
    verified_at: at - n * 1000,
    require_factor: 0,
    created_at: at - n * 1000,
  }));

const client = (id: string) => ({
  client_id: id,
  client_name: `App ${id}`,
  redirect_uris: [`https://${id.toLowerCase()}.example/callback`],
});

async function addApps(db: Kysely<Database>, accountId: string, count: number, at: UnixMs): Promise<void> {
  const store = new SqlOAuthStore(db);
  const until = unixMs(at + DAY_MS);
  for (let n = 0; n < count; n++) {
    const [clientId, grantId] = [`client${n}of${accountId.slice(4, 10)}`, code()];
    await store.upsert('Client', clientId, client(clientId), at, undefined);
    await store.upsert('Grant', grantId, { accountId, clientId }, at, until);
    for (const kind of ['AccessToken', 'RefreshToken'])
      await store.upsert(kind, code(), { accountId, clientId, grantId, scope: 'ip:lookup' }, at, until);
  }
}

async function addClients(db: Kysely<Database>, count: number, at: UnixMs): Promise<void> {
  const store = new SqlOAuthStore(db);
  for (let n = 0; n < count; n++) await store.upsert('Client', `unused${n}`, client(`unused${n}`), at, undefined);
}

/** The counter that gives the numbers out moves too. */
async function addAudit(db: Kysely<Database>, count: number, { id }: FilledAccount, at: UnixMs): Promise<void> {
  const { seq } = await db.selectFrom('change_counter').select('seq').executeTakeFirstOrThrow();
  await insert<'audit_log'>(db, 'audit_log', count, (n) => ({
    seq: seq + 1 + n,
    at: at - DAY_MS + n,
    actor: 'cli',
    action: 'key.create',
    subject: n % 10 === 0 ? id : `acc_${n % 5000}`,
    detail: '{"id":"key_abcdefghijklmnop","prefix":"pk_abcdef","phone":true}',
  }));
  await db
    .updateTable('change_counter')
    .set({ seq: seq + count })
    .execute();
}

const QUOTA_ZONE = 'Asia/Shanghai';

function fillQuotaDays(dataDir: string, own: readonly QuotaId[], at: UnixMs): void {
  const dir = join(dataDir, 'ledger');
  const hash = new IdHash(prepareLedgerFolder(dir));
  const below = randomBelow(20_261_122);
  const word = (): number => (below(2 ** 16) * 2 ** 16 + below(2 ** 16)) | 0 || 1;
  const rows = own.map((id): Total => {
    hash.update(id);
    return { h1: hash.h1, h2: hash.h2, pool: poolNumberOf(id), used: 7, refunded: 0 };
  });
  const pool = poolNumberOf('account:acc_x');
  while (rows.length < SIZE.countersADay) rows.push({ h1: word(), h2: word(), pool, used: below(1000), refunded: 0 });
  const today = quotaDayIn(QUOTA_ZONE)(at).number;
  for (let back = 1; back <= SIZE.days; back++) writeTotals(dir, today - back, [], rows);
}

/** Every feed was read, and its newest reading waits in quarantine. */
async function fillFeeds(dataDir: string, at: UnixMs): Promise<void> {
  const { states, quarantine } = openFeedStates({ dataDir });
  for (const { id } of CATALOGUE) {
    states.put(id, {
      lastAttemptAt: at,
      lastSuccessAt: at,
      lastRunAt: at,
      failures: 3,
      rows: 1000,
      refused: {},
      error: TOO_FAST,
    });
    await quarantine.put(id, waitingReading(at), Buffer.from('1.2.3.4\n'));
  }
}

const TOO_FAST = said('{now} IPv4 addresses are more than {growth} times the {before} of a day ago', {
  ...{ now: 65_536, growth: 4, before: 1638 },
});

const waitingReading = (at: UnixMs): QuarantinedReading => ({
  content: 'A'.repeat(43),
  reason: TOO_FAST,
  figures: { rows: 1000, pools: 0, covered: { 4: 65_536, 6: 0 }, prefixes: { 4: { widest: 16, narrowest: 32 } } },
  refusedAt: at,
  lastReadAt: at,
  runAt: at,
  replaced: 2,
  live: true,
  validators: {},
});
