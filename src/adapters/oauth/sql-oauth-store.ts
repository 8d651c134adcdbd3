import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { checkRedirectUri } from '../../core/oauth/check-redirect-uri.ts';
import { LIFETIME_SEC } from '../../core/oauth/lifetimes.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type {
  AuthorisedApp,
  OAuthContent,
  OAuthKind,
  OAuthStore,
  TokenFacts,
} from '../../service/sign-in/oauth-store.ts';
import { recordChange } from '../database/record-change.ts';
import { changedBy, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import { APP_KINDS, type OAuthTableRow } from '../database/tables.ts';

/** These kinds have a public id. The id of any other kind is a secret and is stored as a hash. */
const PLAIN_IDS: ReadonlySet<string> = new Set(['Client', 'Grant']);

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const rowId = (kind: OAuthKind, id: string): string =>
  PLAIN_IDS.has(kind) ? id : createHash('sha256').update(`${kind}:${id}`).digest('base64url');

export class SqlOAuthStore extends SqlStore implements OAuthStore {
  async upsert(
    kind: OAuthKind,
    id: string,
    payload: OAuthContent,
    at: UnixMs,
    expiresAt: UnixMs | undefined,
  ): Promise<void> {
    const { jti: _, ...rest } = payload;
    const row = {
      payload: JSON.stringify(PLAIN_IDS.has(kind) ? payload : rest),
      grant_id: text(payload['grantId']),
      client_id: text(payload['clientId']) ?? text(payload['client_id']),
      account_id: text(payload['accountId']),
      uid: text(payload['uid']),
      rotations: kind === 'RefreshToken' ? Number(payload['rotations'] ?? 0) : null,
      expires_at: expiresAt ?? null,
    };
    await this.transaction(async (trx) => {
      await trx
        .insertInto('oauth_rows')
        .values({ kind, id: rowId(kind, id), consumed_at: null, created_at: at, last_used_at: null, ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(row))
        .execute();
      if (kind !== 'Grant') return;
      const client = sql`kind = 'Client' and id = ${row.client_id}`;
      await sql`update oauth_rows set last_used_at = ${at} where ${client}`.execute(trx);
    });
  }

  async find(kind: OAuthKind, id: string, at: UnixMs): Promise<OAuthContent | undefined> {
    const row = await this.#alive(kind, at, sql`id = ${rowId(kind, id)}`);
    if (row === undefined) return undefined;
    return PLAIN_IDS.has(kind) ? contentOf(row) : { ...contentOf(row), jti: id };
  }

  /**
   * The answer lacks the row's secret id: the row is found by its public uid, and the store knows only a
   * hash.
   */
  async findByUid(kind: OAuthKind, uid: string, at: UnixMs): Promise<OAuthContent | undefined> {
    const row = await this.#alive(kind, at, sql`uid = ${uid}`);
    return row === undefined ? undefined : contentOf(row);
  }

  async consume(kind: OAuthKind, id: string, at: UnixMs): Promise<boolean> {
    const mine = sql`kind = ${kind} and id = ${rowId(kind, id)} and not ${spentAt(at)}`;
    const used = sql`update oauth_rows set consumed_at = coalesce(consumed_at, ${at}) where ${mine}`;
    return (await changedBy(this.db, used)) === 1;
  }

  async destroy(kind: OAuthKind, id: string): Promise<void> {
    await this.db.deleteFrom('oauth_rows').where('kind', '=', kind).where('id', '=', rowId(kind, id)).execute();
  }

  async revokeByGrant(kind: OAuthKind, grantId: string): Promise<void> {
    await this.db.deleteFrom('oauth_rows').where('kind', '=', kind).where('grant_id', '=', grantId).execute();
  }

  async accessToken(token: string, at: UnixMs): Promise<TokenFacts | undefined> {
    const row = await firstOf(
      this.db,
      sql<OAuthTableRow & Readonly<Record<'account_id' | 'client_id' | 'grant_id', string>>>`
        select t.payload, t.account_id, t.client_id, t.grant_id, g.last_used_at
        from oauth_rows t join oauth_rows g on g.id = t.grant_id and g.kind = 'Grant' and g.account_id = t.account_id
        where t.client_id is not null and t.kind = 'AccessToken' and t.id = ${rowId('AccessToken', token)}
          and t.expires_at > ${at} and g.expires_at > ${at}`,
    );
    if (row === undefined) return undefined;
    const payload: OAuthContent = JSON.parse(row.payload);
    return {
      accountId: row.account_id,
      clientId: row.client_id,
      grantId: row.grant_id,
      audience: text(payload['aud']) ?? '',
      scope: text(payload['scope']) ?? '',
      lastUsedAt: row.last_used_at === null ? undefined : unixMs(row.last_used_at),
    };
  }

  async touchGrant(grantId: string, at: UnixMs): Promise<void> {
    const older = sql`kind = 'Grant' and id = ${grantId} and (last_used_at is null or last_used_at < ${at})`;
    await sql`update oauth_rows set last_used_at = ${at} where ${older}`.execute(this.db);
  }

  async apps(accountId: string, at: UnixMs): Promise<readonly AuthorisedApp[]> {
    const rows = await rowsOf(
      this.db,
      sql<Pick<OAuthTableRow, 'client_id' | 'payload' | 'created_at' | 'last_used_at'>>`
        select g.client_id, c.payload, g.created_at, g.last_used_at
        from oauth_rows g join oauth_rows c on c.id = g.client_id and c.kind = 'Client'
        where g.kind = 'Grant' and g.account_id = ${accountId} and g.expires_at > ${at} and exists (
          select 1 from oauth_rows t where t.grant_id = g.id and t.kind in ('AccessToken', 'RefreshToken')
            and t.consumed_at is null and t.expires_at > ${at}
        )`,
    );
    const apps = new Map<string, AuthorisedApp>();
    for (const row of rows) {
      const id = row.client_id ?? '';
      apps.set(id, merge(apps.get(id), appOf(id, JSON.parse(row.payload), row.created_at, row.last_used_at)));
    }
    const newest = (app: AuthorisedApp): number => app.lastUsedAt ?? app.firstAuthorisedAt;
    return [...apps.values()].sort((one, two) => newest(two) - newest(one) || one.clientId.localeCompare(two.clientId));
  }

  async disconnect(accountId: string, clientId: string | undefined, by: By): Promise<number> {
    return await this.transaction(async (trx) => {
      // Every grant, token and code names its account and client, so one statement ends them all, unexchanged
      // codes included.
      let rows = trx.deleteFrom('oauth_rows').where('account_id', '=', accountId).where('kind', 'in', APP_KINDS);
      if (clientId !== undefined) rows = rows.where('client_id', '=', clientId);
      const gone = await rows.returning('kind').execute();
      const grants = gone.filter(({ kind }) => kind === 'Grant').length;
      const detail = { ...(clientId === undefined ? {} : { client_id: clientId }), grants };
      if (grants > 0)
        await recordChange(trx, { ...by, action: 'app.disconnect', topic: 'note', subject: accountId, detail });
      return grants;
    });
  }

  async makeRoomForClient(most: number): Promise<boolean> {
    const clients = sql<{ count: number }>`select count(*) as count from oauth_rows where kind = 'Client'`;
    const surplus = Number((await firstOf(this.db, clients))!.count) - most + 1;
    if (surplus <= 0) return true;
    const evicted = Math.min(surplus, MOST_EVICTED);
    const unused = await rowsOf(
      this.db,
      sql<{ id: string }>`select id from oauth_rows where ${UNUSED}
        order by last_used_at is not null, coalesce(last_used_at, created_at) limit ${evicted}`,
    );
    if (unused.length === 0) return false;
    const ids = sql.join(unused.map(({ id }) => id));
    await sql`delete from oauth_rows where id in (${ids}) and ${UNUSED}`.execute(this.db);
    return true;
  }

  async keepNewestGrants(accountId: string, keep: number): Promise<number> {
    return await this.transaction(async (trx) => {
      const newest = sql`order by coalesce(last_used_at, created_at) desc, id`;
      const grants = await rowsOf(
        trx,
        sql<{ id: string }>`select id from oauth_rows where kind = 'Grant' and account_id = ${accountId} ${newest}`,
      );
      const ended = grants.slice(keep).map(({ id }) => id);
      if (ended.length === 0) return 0;
      await trx.deleteFrom('oauth_rows').where('grant_id', 'in', ended).execute();
      await trx.deleteFrom('oauth_rows').where('kind', '=', 'Grant').where('id', 'in', ended).execute();
      return ended.length;
    });
  }

  async purge(at: UnixMs, unusedBefore: UnixMs): Promise<number> {
    const expired = await changedBy(this.db, sql`delete from oauth_rows where expires_at <= ${at}`);
    const unused = sql`delete from oauth_rows where created_at < ${unusedBefore} and last_used_at is null and ${UNUSED}`;
    return expired + (await changedBy(this.db, unused));
  }

  #alive(kind: OAuthKind, at: UnixMs, which: RawBuilder<unknown>) {
    const lives = sql`kind = ${kind} and (expires_at is null or expires_at > ${at})`;
    return firstOf(
      this.db,
      sql<OAuthTableRow>`
        select payload, case when ${spentAt(at)} then consumed_at end as consumed_at
        from oauth_rows where ${lives} and ${which}`,
    );
  }
}

const spentAt = (at: UnixMs) => sql<boolean>`(consumed_at is not null and (
  kind <> 'RefreshToken' or consumed_at <= ${at - LIFETIME_SEC.reuse * 1000} or exists (
    select 1 from oauth_rows later where later.kind = 'RefreshToken' and later.grant_id = oauth_rows.grant_id
      and later.rotations > oauth_rows.rotations and later.consumed_at is not null
  )
))`;

/** A larger excess shrinks over several registrations. */
const MOST_EVICTED = 100;

/**
 * Clients without a grant, token or code. `last_used_at` of a client is its last approval: an app keeps its id, so
 * one whose approvals have ended is only dropped for room, after those that were never approved.
 */
const UNUSED = sql`kind = 'Client' and not exists (
  select 1 from oauth_rows other where other.kind <> 'Client' and other.client_id = oauth_rows.id
)`;

/** The authorization server reads `consumed` as seconds since 1970. */
function contentOf(row: { readonly payload: string; readonly consumed_at: number | null }): OAuthContent {
  const payload: OAuthContent = JSON.parse(row.payload);
  return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / 1000) };
}

function appOf(clientId: string, client: OAuthContent, createdAt: number, lastUsedAt: number | null): AuthorisedApp {
  const uris = client['redirect_uris'] as readonly string[];
  const hosts = uris.map(checkRedirectUri).map((verdict) => (verdict.ok ? verdict.host : ''));
  return {
    clientId,
    name: text(client['client_name']) ?? '',
    redirectHosts: [...new Set(hosts.filter((host) => host !== ''))],
    firstAuthorisedAt: unixMs(createdAt),
    lastUsedAt: lastUsedAt === null ? undefined : unixMs(lastUsedAt),
  };
}

function merge(one: AuthorisedApp | undefined, two: AuthorisedApp): AuthorisedApp {
  if (one === undefined) return two;
  const used = Math.max(one.lastUsedAt ?? 0, two.lastUsedAt ?? 0);
  return {
    ...two,
    firstAuthorisedAt: unixMs(Math.min(one.firstAuthorisedAt, two.firstAuthorisedAt)),
    lastUsedAt: used === 0 ? undefined : unixMs(used),
  };
}
