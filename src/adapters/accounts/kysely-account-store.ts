import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { ApiKey, Plan } from '../../core/caller/caller.ts';
import type { AllowEntry } from '../../core/policy/allow-list.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type {
  AccountChanges,
  AccountPage,
  AccountQuery,
  AccountStore,
  AuditEntry,
  By,
  CountedEvent,
  KeyCaps,
  KeyChanges,
  KeysAtCap,
  NewAccount,
  NewKey,
  StoredAccount,
  StoredCredentials,
} from '../../service/accounts/account-store.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { changedBy, countEvent, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import { type AccountRow, APP_KINDS, type ApiKeyRow, type Database } from '../database/tables.ts';
import { ACCOUNT_COLUMNS, type AccountColumns, accountOf, flag, KEY_COLUMNS, keyOf, planOf, planRow } from './rows.ts';

type Handle = Kysely<Database> | Transaction<Database>;

export class KyselyAccountStore extends SqlStore implements AccountStore {
  createAccount(account: NewAccount, by: By): Promise<StoredAccount | 'email_taken' | 'unknown_plan'> {
    return this.transaction(async (trx) => {
      if ((await findPlan(trx, account.plan)) === undefined) return 'unknown_plan';
      const inserted = await trx
        .insertInto('accounts')
        .values({
          ...NO_OVERRIDES,
          id: account.id,
          email: account.email.toLowerCase(),
          password_hash: account.passwordHash ?? null,
          plan: account.plan,
          dpa: flag(account.dpa),
          phone: flag(account.phone),
          operator: flag(account.operator ?? false),
          disabled: 0,
          verified_at: account.verified === true ? by.at : null,
          require_factor: 0,
          allow_list: null,
          created_at: by.at,
        })
        .onConflict((conflict) => conflict.column('email').doNothing())
        .returning('id')
        .executeTakeFirst();
      if (inserted === undefined) return 'email_taken';
      const detail = {
        email: account.email.toLowerCase(),
        plan: account.plan,
        dpa: account.dpa,
        phone: account.phone,
        operator: account.operator ?? false,
        verified: account.verified ?? false,
      };
      await recordChange(trx, { ...by, action: 'account.create', topic: 'account', subject: account.id, detail });
      return (await findAccount(trx, account.id))!;
    });
  }

  changeAccount(
    id: string,
    changes: AccountChanges,
    by: By,
  ): Promise<StoredAccount | 'unknown_account' | 'unknown_plan'> {
    return this.transaction(async (trx) => {
      if (changes.plan !== undefined && (await findPlan(trx, changes.plan)) === undefined) return 'unknown_plan';
      if (changes.requireFactor === true) await endAppsBeforeFactor(trx, id);
      const columns = { ...columnsOf(changes), ...verifiedColumn(changes.verified, by.at) };
      if (Object.keys(columns).length > 0) {
        const { numUpdatedRows } = await trx
          .updateTable('accounts')
          .set(columns)
          .where('id', '=', id)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return 'unknown_account';
        await recordChange(trx, {
          ...by,
          action: 'account.set',
          topic: 'account',
          subject: id,
          detail: { ...changes },
        });
      }
      return (await findAccount(trx, id)) ?? 'unknown_account';
    });
  }

  account(id: string): Promise<StoredAccount | undefined> {
    return findAccount(this.db, id);
  }

  allowList(accountId: string): Promise<readonly AllowEntry[]> {
    return allowListOf(this.db, accountId);
  }

  changeAllowList(
    accountId: string,
    change: (held: readonly AllowEntry[]) => readonly AllowEntry[],
    by: By,
  ): Promise<readonly AllowEntry[]> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const entries = change(await allowListOf(trx, accountId));
      const text = entries.length === 0 ? null : JSON.stringify(entries);
      await trx.updateTable('accounts').set({ allow_list: text }).where('id', '=', accountId).execute();
      const detail = { entries: entries.length };
      await recordChange(trx, { ...by, action: 'account.allow_list', topic: 'account', subject: accountId, detail });
      return entries;
    });
  }

  async hasOperator(): Promise<boolean> {
    return (await firstOf(this.db, sql`select id from accounts where operator = 1 limit 1`)) !== undefined;
  }

  async accounts(): Promise<readonly StoredAccount[]> {
    const plans = new Map((await this.plans()).map((plan) => [plan.name, plan]));
    const rows = await rowsOf(this.db, sql<AccountColumns>`select ${COLUMNS} from accounts order by created_at, id`);
    return withPlans(rows, plans);
  }

  async findAccounts({ search, plan, after, limit }: AccountQuery): Promise<AccountPage> {
    const plans = new Map((await this.plans()).map((plan) => [plan.name, plan]));
    let question = this.db
      .selectFrom('accounts')
      .select(ACCOUNT_COLUMNS)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc');
    if (search !== undefined) {
      const within = `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
      question = question.where((row) =>
        row.or([row('id', '=', search), sql<boolean>`email like ${within} escape '\\'`]),
      );
    }
    if (plan !== undefined) question = question.where('plan', '=', plan);
    if (after !== undefined) {
      const [createdAt, id] = cursorOf(after);
      question = question.where((row) =>
        row.or([row('created_at', '<', createdAt), row.and([row('created_at', '=', createdAt), row('id', '<', id)])]),
      );
    }
    const rows = await question.limit(limit + 1).execute();
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      accounts: withPlans(shown, plans),
      ...(rows.length > limit && last !== undefined && { next: `${last.created_at}.${last.id}` }),
    };
  }

  async credentials(by: { readonly email: string } | { readonly id: string }): Promise<StoredCredentials | undefined> {
    const columns = this.db
      .selectFrom('accounts')
      .select(['id', 'email', 'password_hash', 'disabled', 'verified_at', 'operator'])
      .select(sql<number>`(select count(*) from identities where account_id = accounts.id)`.as('identities'));
    const row = await ('id' in by
      ? columns.where('id', '=', by.id)
      : columns.where('email', '=', by.email.toLowerCase())
    ).executeTakeFirst();
    if (row === undefined) return undefined;
    return {
      accountId: row.id,
      email: row.email,
      passwordHash: row.password_hash,
      disabled: row.disabled === 1,
      verified: row.verified_at !== null,
      operator: row.operator === 1,
      ofCompany: Number(row.identities) > 0,
    };
  }

  async passwordHash(accountId: string): Promise<string | undefined> {
    const own = sql<AccountRow>`select password_hash from accounts where id = ${accountId}`;
    return (await firstOf(this.db, own))?.password_hash ?? undefined;
  }

  setPasswordHash(accountId: string, hash: string, by: By): Promise<boolean> {
    return this.transaction(async (trx) => {
      const set = sql`update accounts set password_hash = ${hash} where id = ${accountId}`;
      if ((await changedBy(trx, set)) === 0) return false;
      await recordChange(trx, { ...by, action: 'account.password', topic: 'account', subject: accountId });
      return true;
    });
  }

  deleteAccount(id: string, by: By): Promise<boolean> {
    return this.transaction(async (trx) => {
      const account = await trx.selectFrom('accounts').select('email').where('id', '=', id).executeTakeFirst();
      if (account === undefined) return false;
      // Deleting the account cascades to its keys, sessions and rows of the authorization server.
      await trx.deleteFrom('accounts').where('id', '=', id).execute();
      await trx.deleteFrom('mail_links').where('email', '=', account.email).execute();
      await trx.updateTable('audit_log').set({ detail: '{}' }).where('subject', '=', id).execute();
      await recordChange(trx, { ...by, action: 'account.delete', topic: 'account', subject: id });
      return true;
    });
  }

  async createKey(key: NewKey, by: By, caps?: KeyCaps): Promise<ApiKey | 'unknown_account' | KeysAtCap> {
    try {
      return await this.transaction((trx) => insertKey(trx, key, by, caps));
    } catch (error) {
      if (error instanceof RefusedByCap) return error.atCap;
      throw error;
    }
  }

  revokeKey(id: string, by: By, accountId?: string): Promise<ApiKey | 'unknown_key'> {
    return this.transaction(async (trx) => {
      const found = await trx.selectFrom('api_keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst();
      if (found === undefined || (accountId !== undefined && found.account_id !== accountId)) return 'unknown_key';
      if (found.revoked_at !== null) return keyOf(found);
      await trx.updateTable('api_keys').set({ revoked_at: by.at }).where('id', '=', id).execute();
      await recordChange(trx, {
        ...by,
        action: 'key.revoke',
        topic: 'account',
        subject: found.account_id,
        detail: { id, prefix: found.prefix },
      });
      return keyOf({ ...found, revoked_at: by.at });
    });
  }

  changeKey(id: string, changes: KeyChanges, by: By, accountId?: string): Promise<ApiKey | 'unknown_key'> {
    return this.transaction(async (trx) => {
      const found = await trx.selectFrom('api_keys').select(KEY_COLUMNS).where('id', '=', id).executeTakeFirst();
      if (found === undefined || (accountId !== undefined && found.account_id !== accountId)) return 'unknown_key';
      const columns = Object.fromEntries(
        Object.entries(changes).map(([name, value]) => [name, value === null ? null : JSON.stringify(value)]),
      );
      await trx.updateTable('api_keys').set(columns).where('id', '=', id).execute();
      const detail = { id, prefix: found.prefix, ...changes };
      await recordChange(trx, { ...by, action: 'key.set', topic: 'account', subject: found.account_id, detail });
      return keyOf({ ...found, ...columns });
    });
  }

  async keys(accountId?: string): Promise<readonly ApiKey[]> {
    const all = this.db.selectFrom('api_keys').select(KEY_COLUMNS).orderBy('created_at').orderBy('id');
    const rows = await (accountId === undefined ? all : all.where('account_id', '=', accountId)).execute();
    return rows.map(keyOf);
  }

  async markKeysUsed(used: ReadonlyMap<string, UnixMs>): Promise<void> {
    if (used.size === 0) return;
    await this.transaction(async (trx) => {
      // Updates in the order of ids, so that two nodes that write the same keys cannot deadlock.
      for (const [id, at] of [...used].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const older = sql`id = ${id} and (last_used_at is null or last_used_at < ${at})`;
        await sql`update api_keys set last_used_at = ${at} where ${older}`.execute(trx);
      }
    });
  }

  async plans(): Promise<readonly Plan[]> {
    const rows = await this.db.selectFrom('plans').selectAll().orderBy('per_day').orderBy('name').execute();
    return rows.map(planOf);
  }

  putPlan(plan: Plan, by: By): Promise<Plan> {
    return this.transaction(async (trx) => {
      const { name, ...limits } = planRow(plan);
      await trx
        .insertInto('plans')
        .values({ name, ...limits })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(limits))
        .execute();
      await recordChange(trx, { ...by, action: 'plan.put', topic: 'plan', subject: name, detail: { ...plan } });
      return plan;
    });
  }

  async note(action: string, subject: string, detail: AuditEntry['detail'], by: By): Promise<void> {
    await this.transaction((trx) => recordChange(trx, { ...by, action, topic: 'note', subject, detail }));
  }

  countEvents(events: readonly CountedEvent[]): Promise<void> {
    return this.transaction(async (trx) => {
      for (const event of events) await countEvent(trx, event);
    });
  }

  async auditAfter(seq: number, limit: number): Promise<readonly AuditEntry[]> {
    const rows = this.db.selectFrom('audit_log').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit);
    return (await rows.execute()).map(entryOf);
  }

  async auditCursor(name: string): Promise<number | undefined> {
    return (await this.db.selectFrom('audit_cursors').select('seq').where('name', '=', name).executeTakeFirst())?.seq;
  }

  async moveAuditCursor(name: string, from: number | undefined, to: number): Promise<boolean> {
    const moved =
      from === undefined
        ? sql`insert into audit_cursors (name, seq) values (${name}, ${to}) on conflict (name) do nothing`
        : sql`update audit_cursors set seq = ${to} where name = ${name} and seq = ${from}`;
    return (await changedBy(this.db, moved)) === 1;
  }

  async pruneAudit(before: UnixMs, limit: number): Promise<number> {
    // Numbers grow with time, so the oldest rows come first and the time needs no index.
    const first = await this.db.selectFrom('audit_log').select(['seq', 'at']).orderBy('seq').limit(limit).execute();
    const young = first.findIndex(({ at }) => at >= before);
    const old = young < 0 ? first : first.slice(0, young);
    if (old.length === 0) return 0;
    await this.db.deleteFrom('audit_log').where('seq', '<=', old.at(-1)!.seq).execute();
    return old.length;
  }

  async audit({ subject, before, limit }: Parameters<AccountStore['audit']>[0]): Promise<readonly AuditEntry[]> {
    let wanted = this.db.selectFrom('audit_log').selectAll().orderBy('seq', 'desc').limit(limit);
    if (subject !== undefined) wanted = wanted.where('subject', '=', subject);
    if (before !== undefined) wanted = wanted.where('seq', '<', before);
    return (await wanted.execute()).map(entryOf);
  }
}

async function allowListOf(db: Handle, id: string): Promise<readonly AllowEntry[]> {
  const row = await db.selectFrom('accounts').select('allow_list').where('id', '=', id).executeTakeFirst();
  return row?.allow_list ? (JSON.parse(row.allow_list) as readonly AllowEntry[]) : [];
}

const entryOf = (row: Selectable<Database['audit_log']>): AuditEntry => ({
  ...row,
  at: unixMs(row.at),
  detail: JSON.parse(row.detail) as Record<string, unknown>,
});

const COLUMNS = sql.raw(ACCOUNT_COLUMNS.join(', '));

const withPlans = (rows: readonly AccountColumns[], plans: ReadonlyMap<string, Plan>): readonly StoredAccount[] =>
  rows.flatMap((row) => {
    const plan = plans.get(row.plan);
    return plan === undefined ? [] : [accountOf(row, plan)];
  });

function cursorOf(after: string): readonly [createdAt: number, id: string] {
  const [, createdAt = '0', id = ''] = /^(\d{1,15})\.(.*)$/s.exec(after) ?? [];
  return [Number(createdAt), id];
}

async function insertKey(
  trx: Transaction<Database>,
  key: NewKey,
  by: By,
  caps: KeyCaps | undefined,
): Promise<ApiKey | 'unknown_account'> {
  if ((await findAccount(trx, key.accountId)) === undefined) return 'unknown_account';
  const { hash: _kept, ...detail } = key;
  // The audit row is written first because it makes writers wait: a count after it stays true until the
  // transaction ends.
  await recordChange(trx, { ...by, action: 'key.create', topic: 'account', subject: key.accountId, detail });
  if (caps !== undefined) await checkCaps(trx, key.accountId, caps, by.at);
  const row = await trx
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      hash: key.hash,
      prefix: key.prefix,
      per_day: key.perDay ?? null,
      expires_at: key.expiresAt ?? null,
      revoked_at: null,
      phone: flag(key.phone),
      sends: key.sends === undefined ? null : JSON.stringify(key.sends),
      evidence: key.evidence ?? null,
      policy: null,
      bouncer: key.bouncer === undefined ? null : JSON.stringify(key.bouncer),
      created_at: by.at,
      last_used_at: null,
    })
    .returning(KEY_COLUMNS)
    .executeTakeFirstOrThrow();
  return keyOf(row);
}

class RefusedByCap extends Error {
  readonly atCap: KeysAtCap;

  constructor(atCap: KeysAtCap) {
    super(`the account has as many keys as it may: ${atCap.atCap}`);
    this.atCap = atCap;
  }
}

async function checkCaps(trx: Transaction<Database>, accountId: string, caps: KeyCaps, at: UnixMs): Promise<void> {
  const all = sql<ApiKeyRow>`select created_at, expires_at, revoked_at from api_keys where account_id = ${accountId}`;
  const keys = await rowsOf(trx, all);
  if (keys.length >= caps.ever) throw new RefusedByCap({ atCap: 'ever' });
  const active = keys.filter(
    ({ expires_at, revoked_at }) => revoked_at === null && (expires_at === null || expires_at > at),
  );
  if (active.length >= caps.active) throw new RefusedByCap({ atCap: 'active' });
  // A key dated by a clock that ran ahead counts as made now: it must neither be free nor fill the hour for
  // longer.
  const recent = keys.map(({ created_at }) => Math.min(created_at, at)).filter((madeAt) => madeAt > at - HOUR_MS);
  if (recent.length >= caps.anHour)
    throw new RefusedByCap({ atCap: 'anHour', freeAt: unixMs(Math.min(...recent) + HOUR_MS) });
}

/** When a factor becomes required, existing apps end: they may have been authorised with the password alone. */
async function endAppsBeforeFactor(trx: Transaction<Database>, id: string): Promise<void> {
  const withoutFactor = trx.selectFrom('accounts').select('id').where('id', '=', id).where('require_factor', '=', 0);
  await trx.deleteFrom('oauth_rows').where('account_id', 'in', withoutFactor).where('kind', 'in', APP_KINDS).execute();
}

const NO_OVERRIDES = {
  per_min: null,
  per_day: null,
  overage_pct: null,
  phone_per_min: null,
  phone_per_day: null,
  history_days: null,
} as const;

async function findPlan(db: Handle, name: string): Promise<Plan | undefined> {
  const row = await db.selectFrom('plans').selectAll().where('name', '=', name).executeTakeFirst();
  return row === undefined ? undefined : planOf(row);
}

async function findAccount(db: Handle, id: string): Promise<StoredAccount | undefined> {
  const row = await db.selectFrom('accounts').select(ACCOUNT_COLUMNS).where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const plan = await findPlan(db, row.plan);
  return plan === undefined ? undefined : accountOf(row, plan);
}

const verifiedColumn = (verified: boolean | undefined, at: UnixMs) =>
  verified === undefined ? {} : { verified_at: verified ? sql<number>`coalesce(verified_at, ${at})` : null };

/** Contains given keys only: an absent one must not become `set column = null`. */
function columnsOf(changes: AccountChanges): Partial<AccountRow> {
  const entries: readonly (readonly [keyof AccountRow, string | number | boolean | null | undefined])[] = [
    ['plan', changes.plan],
    ['per_min', changes.perMin],
    ['per_day', changes.perDay],
    ['overage_pct', changes.overagePct],
    ['phone_per_min', changes.phonePerMin],
    ['phone_per_day', changes.phonePerDay],
    ['history_days', changes.historyDays],
    ['dpa', changes.dpa],
    ['phone', changes.phone],
    ['operator', changes.operator],
    ['disabled', changes.disabled],
    ['require_factor', changes.requireFactor],
  ];
  const given = entries.filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([column, value]) => [column, typeof value === 'boolean' ? flag(value) : value]));
}
