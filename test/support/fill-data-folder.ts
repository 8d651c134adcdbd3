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
import { quotaDayIn } from '../../src/core/quota/day.ts';
import type { QuotaId } from '../../src/core/quota/quota.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { By } from '../../src/service/accounts/account-store.ts';
import { createAccount } from '../../src/service/accounts/create-account.ts';
import { createKey } from '../../src/service/accounts/create-key.ts';
import type { QuarantinedReading } from '../../src/service/feeds/feed-ports.ts';
import { randomBelow } from './random.ts';

/** How much there is of everything. */
export interface FilledSize {
  /** Of each account that is filled, most of them revoked. */
  readonly keys: number;
  readonly sessions: number;
  /** Apps that each of these accounts let in, and as many clients that no account has let in. */
  readonly apps: number;
  /** Closed quota days, and the counters of each. */
  readonly days: number;
  readonly countersADay: number;
  /** A tenth of them about each account that is filled. */
  readonly auditRows: number;
  /** Others, without anything. */
  readonly accounts: number;
}

/** Size of an installation of a few years. Keys: as many as an account makes, but ten. */
export const FULL_SIZE: FilledSize = {
  keys: 990,
  sessions: 50,
  apps: 200,
  days: 62,
  countersADay: 100_000,
  auditRows: 100_000,
  accounts: 20_000,
};

export interface FilledAccount {
  readonly id: string;
  readonly email: string;
  /** Text of one of its keys. */
  readonly key: string;
}

/** @param password of every account that is filled @param names of the accounts, each on the largest plan and marked operator */
export interface Filling {
  readonly dataDir: string;
  readonly size: FilledSize;
  readonly names: readonly string[];
  readonly password: string;
  readonly at: UnixMs;
}

/** Makes a data folder of one who has used everything for long: accounts with all they may have, closed days of quota, the audit log, feeds in quarantine. */
export async function fillDataFolder(filling: Filling): Promise<readonly FilledAccount[]> {
  const { dataDir, size, names, at } = filling;
  const accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: undefined });
  try {
    const filled: FilledAccount[] = [];
    for (const name of names) filled.push(await fillAccount(accounts, name, filling));
    await accounts.db.transaction().execute(async (trx) => {
      await addOthers(trx, size.accounts, at);
      await addClients(trx, size.apps, at);
      await addAudit(trx, size.auditRows, filled, at);
    });
    await fillQuotaDays(dataDir, size, await countersOf(accounts, filled), at);
    await fillFeeds(dataDir, at);
    return filled;
  } finally {
    await accounts.close();
  }
}

async function fillAccount(accounts: Accounts, name: string, { size, password, at }: Filling): Promise<FilledAccount> {
  const { db, store, hasher } = accounts;
  const by: By = { actor: 'cli', at: unixMs(at - 300 * DAY_MS) };
  const email = `${name}@example.com`;
  const { id } = await createAccount(
    store,
    { email, password, plan: 'enterprise', dpa: true, phone: true, operator: true },
    by,
  );
  const { secret } = await createKey(store, hasher, { accountId: id, name: 'live' }, by);
  await db.transaction().execute(async (trx) => {
    await addKeys(trx, id, size.keys - 1, by.at);
    await addSessions(trx, id, size.sessions, at);
    await addApps(trx, id, size.apps, at);
  });
  return { id, email, key: secret };
}

/** Rows at a time: SQLite takes 32,766 values in one statement. */
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
/** Active keys of an account; the others are revoked. */
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
    amr: 'pwd',
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

/** Clients, grants and tokens as the authorization server writes them. */
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

/** Goes on from the numbers that are there, with the counter that gives them out. */
async function addAudit(
  db: Kysely<Database>,
  count: number,
  filled: readonly FilledAccount[],
  at: UnixMs,
): Promise<void> {
  const { seq } = await db.selectFrom('change_counter').select('seq').executeTakeFirstOrThrow();
  await insert<'audit_log'>(db, 'audit_log', count, (n) => ({
    seq: seq + 1 + n,
    at: at - DAY_MS + n,
    actor: 'cli',
    action: 'key.create',
    subject: filled[n % 10]?.id ?? `acc_${n % 5000}`,
    detail: '{"id":"key_abcdefghijklmnop","prefix":"pk_abcdef","phone":true}',
  }));
  await db
    .updateTable('change_counter')
    .set({ seq: seq + count })
    .execute();
}

async function countersOf({ store }: Accounts, filled: readonly FilledAccount[]): Promise<readonly QuotaId[]> {
  const keys = await Promise.all(filled.map(({ id }) => store.keys(id)));
  return [...filled.map(({ id }): QuotaId => `account:${id}`), ...keys.flat().map(keyCounter)];
}

/** Charges of every counter of a filled account on each closed day. */
export const USED_A_DAY = 7;

/** Default of PULSE_QUOTA_TZ. */
const QUOTA_ZONE = 'Asia/Shanghai';

/** Totals of closed days, by their own writer: counters of the filled accounts, and strangers' up to the number. */
async function fillQuotaDays(
  dataDir: string,
  { days, countersADay }: FilledSize,
  own: readonly QuotaId[],
  at: UnixMs,
): Promise<void> {
  const dir = join(dataDir, 'ledger');
  const hash = new IdHash(prepareLedgerFolder(dir));
  const below = randomBelow(20_261_122);
  const word = (): number => (below(2 ** 16) * 2 ** 16 + below(2 ** 16)) | 0 || 1;
  const rows = own.map((id): Total => {
    hash.update(id);
    return { h1: hash.h1, h2: hash.h2, pool: poolNumberOf(id), used: USED_A_DAY, refunded: 0 };
  });
  const pool = poolNumberOf('account:acc_x');
  while (rows.length < countersADay) rows.push({ h1: word(), h2: word(), pool, used: below(1000), refunded: 0 });
  const today = quotaDayIn(QUOTA_ZONE)(at).number;
  for (let back = 1; back <= days; back++) writeTotals(dir, today - back, [], rows);
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
      error: 'covers 40 times what it covered a day ago',
    });
    await quarantine.put(id, waitingReading(at), Buffer.from('1.2.3.4\n'));
  }
}

const waitingReading = (at: UnixMs): QuarantinedReading => ({
  content: WAITING_DIGEST,
  reason: 'it covers 40 times what it covered a day ago',
  figures: { rows: 1000, pools: 0, covered: { 4: 65_536, 6: 0 }, prefixes: { 4: { widest: 16, narrowest: 32 } } },
  refusedAt: at,
  lastReadAt: at,
  runAt: at,
  replaced: 2,
  live: true,
  validators: {},
});

/** Of the readings in quarantine, whose bodies do not have it: accepting one is refused. */
export const WAITING_DIGEST = 'A'.repeat(43);
