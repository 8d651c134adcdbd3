import { createHash } from 'node:crypto';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { checkRedirectUri } from '../../core/oauth/check-redirect-uri.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type {
  AuthorisedApp,
  OAuthKind,
  OAuthPayload,
  OAuthStore,
  TokenFacts,
} from '../../service/sign-in/oauth-store.ts';
import { APP_KINDS } from '../database/oauth-tables.ts';
import type { Database } from '../database/tables.ts';

/** Kinds whose id is public; the id of any other kind opens something and is kept as a hash. */
const PLAIN_IDS: ReadonlySet<string> = new Set(['Client', 'Grant']);

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const rowId = (kind: OAuthKind, id: string): string =>
  PLAIN_IDS.has(kind) ? id : createHash('sha256').update(`${kind}:${id}`).digest('base64url');

/** The OAuth rows in SQLite or PostgreSQL: one table, one set of statements for both. */
export class SqlOAuthStore implements OAuthStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async upsert(
    kind: OAuthKind,
    id: string,
    payload: OAuthPayload,
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
      expires_at: expiresAt ?? null,
    };
    await this.#db
      .insertInto('oauth_rows')
      .values({ kind, id: rowId(kind, id), consumed_at: null, created_at: at, last_used_at: null, ...row })
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(row))
      .execute();
  }

  async find(kind: OAuthKind, id: string, at: UnixMs): Promise<OAuthPayload | undefined> {
    const row = await this.#alive(kind, at).where('id', '=', rowId(kind, id)).executeTakeFirst();
    if (row === undefined) return undefined;
    return PLAIN_IDS.has(kind) ? contentOf(row) : { ...contentOf(row), jti: id };
  }

  /** The row is found by its public uid; its secret id is not known here and so is not part of the answer. */
  async findByUid(kind: OAuthKind, uid: string, at: UnixMs): Promise<OAuthPayload | undefined> {
    const row = await this.#alive(kind, at).where('uid', '=', uid).executeTakeFirst();
    return row === undefined ? undefined : contentOf(row);
  }

  async consume(kind: OAuthKind, id: string, at: UnixMs): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('oauth_rows')
      .set({ consumed_at: at })
      .where('kind', '=', kind)
      .where('id', '=', rowId(kind, id))
      .where('consumed_at', 'is', null)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async destroy(kind: OAuthKind, id: string): Promise<void> {
    await this.#db.deleteFrom('oauth_rows').where('kind', '=', kind).where('id', '=', rowId(kind, id)).execute();
  }

  async revokeByGrant(kind: OAuthKind, grantId: string): Promise<void> {
    await this.#db.deleteFrom('oauth_rows').where('kind', '=', kind).where('grant_id', '=', grantId).execute();
  }

  async accessToken(token: string, at: UnixMs): Promise<TokenFacts | undefined> {
    const row = await this.#db
      .selectFrom('oauth_rows as token')
      .innerJoin('oauth_rows as grant_row', (join) =>
        join.onRef('grant_row.id', '=', 'token.grant_id').on('grant_row.kind', '=', 'Grant'),
      )
      .select([
        'token.payload',
        'token.account_id',
        'token.client_id',
        'token.grant_id',
        'grant_row.account_id as grant_account',
        'grant_row.last_used_at',
      ])
      .where('token.kind', '=', 'AccessToken')
      .where('token.id', '=', rowId('AccessToken', token))
      .where('token.expires_at', '>', at)
      .where('grant_row.expires_at', '>', at)
      .executeTakeFirst();
    if (
      row === undefined ||
      row.account_id === null ||
      row.client_id === null ||
      row.grant_id === null ||
      row.grant_account !== row.account_id
    )
      return undefined;
    const payload: OAuthPayload = JSON.parse(row.payload);
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
    await this.#db
      .updateTable('oauth_rows')
      .set({ last_used_at: at })
      .where('kind', '=', 'Grant')
      .where('id', '=', grantId)
      .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
      .execute();
  }

  async apps(accountId: string, at: UnixMs): Promise<readonly AuthorisedApp[]> {
    const rows = await this.#db
      .selectFrom('oauth_rows as grant_row')
      .innerJoin('oauth_rows as client', (join) =>
        join.onRef('client.id', '=', 'grant_row.client_id').on('client.kind', '=', 'Client'),
      )
      .select(['grant_row.client_id', 'client.payload', 'grant_row.created_at', 'grant_row.last_used_at'])
      .where('grant_row.kind', '=', 'Grant')
      .where('grant_row.account_id', '=', accountId)
      .where('grant_row.expires_at', '>', at)
      .where((where) =>
        where.exists(
          where
            .selectFrom('oauth_rows as token')
            .select('token.id')
            .whereRef('token.grant_id', '=', 'grant_row.id')
            .where('token.kind', 'in', ['AccessToken', 'RefreshToken'])
            .where('token.consumed_at', 'is', null)
            .where('token.expires_at', '>', at),
        ),
      )
      .execute();
    const apps = new Map<string, AuthorisedApp>();
    for (const row of rows) {
      const id = row.client_id ?? '';
      apps.set(id, merge(apps.get(id), appOf(id, JSON.parse(row.payload), row.created_at, row.last_used_at)));
    }
    const newest = (app: AuthorisedApp): number => app.lastUsedAt ?? app.firstAuthorisedAt;
    return [...apps.values()].sort((one, two) => newest(two) - newest(one) || one.clientId.localeCompare(two.clientId));
  }

  async disconnect(accountId: string, clientId: string | undefined): Promise<number> {
    return await this.#db.transaction().execute(async (trx) => {
      // The account and client stand in every grant, token and code, so one statement ends them all, codes not yet exchanged included.
      let rows = trx.deleteFrom('oauth_rows').where('account_id', '=', accountId).where('kind', 'in', APP_KINDS);
      if (clientId !== undefined) rows = rows.where('client_id', '=', clientId);
      const gone = await rows.returning('kind').execute();
      return gone.filter(({ kind }) => kind === 'Grant').length;
    });
  }

  async makeRoomForClient(most: number): Promise<boolean> {
    const { count } = await this.#db
      .selectFrom('oauth_rows')
      .select((select) => select.fn.countAll<number | string>().as('count'))
      .where('kind', '=', 'Client')
      .executeTakeFirstOrThrow();
    const surplus = Number(count) - most + 1;
    if (surplus <= 0) return true;
    const unused = await this.#db
      .selectFrom('oauth_rows')
      .select('id')
      .where('kind', '=', 'Client')
      .where(isUnused)
      .orderBy('created_at')
      .limit(Math.min(surplus, MOST_EVICTED))
      .execute();
    if (unused.length === 0) return false;
    const ids = unused.map(({ id }) => id);
    await this.#db
      .deleteFrom('oauth_rows')
      .where('kind', '=', 'Client')
      .where('id', 'in', ids)
      .where(isUnused)
      .execute();
    return true;
  }

  async keepNewestGrants(accountId: string, keep: number): Promise<number> {
    return await this.#db.transaction().execute(async (trx) => {
      const grants = await trx
        .selectFrom('oauth_rows')
        .select('id')
        .where('kind', '=', 'Grant')
        .where('account_id', '=', accountId)
        .orderBy(sql`coalesce(last_used_at, created_at)`, 'desc')
        .orderBy('id')
        .execute();
      const ended = grants.slice(keep).map(({ id }) => id);
      if (ended.length === 0) return 0;
      await trx.deleteFrom('oauth_rows').where('grant_id', 'in', ended).execute();
      await trx.deleteFrom('oauth_rows').where('kind', '=', 'Grant').where('id', 'in', ended).execute();
      return ended.length;
    });
  }

  async purge(at: UnixMs, unusedBefore: UnixMs): Promise<number> {
    const expired = await this.#db.deleteFrom('oauth_rows').where('expires_at', '<=', at).executeTakeFirstOrThrow();
    const unused = await this.#db
      .deleteFrom('oauth_rows')
      .where('kind', '=', 'Client')
      .where('created_at', '<', unusedBefore)
      .where(isUnused)
      .executeTakeFirstOrThrow();
    return Number(expired.numDeletedRows + unused.numDeletedRows);
  }

  #alive(kind: OAuthKind, at: UnixMs) {
    return this.#db
      .selectFrom('oauth_rows')
      .select(['payload', 'consumed_at'])
      .where('kind', '=', kind)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', at)]));
  }
}

/** Clients that one registration evicts at most; a table from before the cap comes down to it in steps. */
const MOST_EVICTED = 100;

/** No grant, token or code belongs to this client: no account has approved it, or all have ended their approval. */
const isUnused = (where: ExpressionBuilder<Database, 'oauth_rows'>) =>
  where.not(
    where.exists(
      where
        .selectFrom('oauth_rows as other')
        .select('other.id')
        .where('other.kind', '<>', 'Client')
        .whereRef('other.client_id', '=', 'oauth_rows.id'),
    ),
  );

/** The authorization server reads `consumed` as seconds since 1970. */
function contentOf(row: { readonly payload: string; readonly consumed_at: number | null }): OAuthPayload {
  const payload: OAuthPayload = JSON.parse(row.payload);
  return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / 1000) };
}

function appOf(clientId: string, client: OAuthPayload, createdAt: number, lastUsedAt: number | null): AuthorisedApp {
  const uris = Array.isArray(client['redirect_uris'])
    ? client['redirect_uris'].filter((uri) => typeof uri === 'string')
    : [];
  const hosts = uris.map((uri) => checkRedirectUri(uri)).map((verdict) => (verdict.ok ? verdict.host : ''));
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
