import type { Kysely } from 'kysely';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { SessionRow, SessionStore } from '../../service/sign-in/session.ts';
import type { MailLink, MailPurpose, SignInStore } from '../../service/sign-in/sign-in.ts';
import type { Database } from '../database/tables.ts';

/** Mail links in SQLite or PostgreSQL. */
export class SqlSignInStore implements SignInStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async addLink(link: MailLink, at: UnixMs): Promise<void> {
    const row = {
      id: link.id,
      purpose: link.purpose,
      email: link.email,
      payload: JSON.stringify(link.payload),
      created_at: at,
      expires_at: link.expiresAt,
    };
    await this.#db.insertInto('mail_links').values(row).execute();
  }

  async findLink(id: string, purpose: MailPurpose, at: UnixMs): Promise<MailLink | undefined> {
    const row = await this.#db
      .selectFrom('mail_links')
      .select(['email', 'payload', 'expires_at'])
      .where('id', '=', id)
      .where('purpose', '=', purpose)
      .where('expires_at', '>', at)
      .executeTakeFirst();
    return row === undefined
      ? undefined
      : { id, purpose, email: row.email, payload: JSON.parse(row.payload), expiresAt: unixMs(row.expires_at) };
  }

  async takeLink(link: MailLink): Promise<boolean> {
    return await this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx.deleteFrom('mail_links').where('id', '=', link.id).executeTakeFirstOrThrow();
      if (numDeletedRows !== 1n) return false;
      await trx.deleteFrom('mail_links').where('email', '=', link.email).where('purpose', '=', link.purpose).execute();
      return true;
    });
  }

  async dropLinks(purpose: MailPurpose): Promise<void> {
    await this.#db.deleteFrom('mail_links').where('purpose', '=', purpose).execute();
  }

  async purge(at: UnixMs): Promise<void> {
    await this.#db.deleteFrom('mail_links').where('expires_at', '<=', at).execute();
  }
}

/** Sessions that one more ends at most; an account from before the cap comes down to it in steps. */
const MOST_ENDED = 1000;

/** Console sessions in SQLite or PostgreSQL. */
export class SqlSessionStore implements SessionStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(row: SessionRow, most: number): Promise<void> {
    const ofAccount = this.#db.selectFrom('sessions').where('account_id', '=', row.accountId);
    const { id, accountId, createdAt, expiresAt, amr, authenticatedAt } = row;
    const values = {
      id,
      account_id: accountId,
      created_at: createdAt,
      expires_at: expiresAt,
      amr: amr.join(' '),
      authenticated_at: authenticatedAt,
    };
    await this.#db.insertInto('sessions').values(values).execute();
    // One index read where there is nothing to end, which is nearly always.
    const surplus = await ofAccount
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(MOST_ENDED)
      .offset(most)
      .execute();
    const old = surplus.map(({ id }) => id).filter((id) => id !== row.id);
    if (old.length > 0) await this.#db.deleteFrom('sessions').where('id', 'in', old).execute();
  }

  async find(id: string, at: UnixMs): Promise<SessionRow | undefined> {
    const row = await this.#db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', at)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    return {
      id: row.id,
      accountId: row.account_id,
      createdAt: unixMs(row.created_at),
      expiresAt: unixMs(row.expires_at),
      amr: row.amr.split(' '),
      authenticatedAt: unixMs(row.authenticated_at),
    };
  }

  async authenticate(id: string, amr: readonly string[], at: UnixMs): Promise<void> {
    await this.#db
      .updateTable('sessions')
      .set({ amr: amr.join(' '), authenticated_at: at })
      .where('id', '=', id)
      .execute();
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('sessions').where('id', '=', id).execute();
  }

  async removeAll(accountId: string, except?: string): Promise<void> {
    let rows = this.#db.deleteFrom('sessions').where('account_id', '=', accountId);
    if (except !== undefined) rows = rows.where('id', '<>', except);
    await rows.execute();
  }

  async purge(at: UnixMs): Promise<void> {
    await this.#db.deleteFrom('sessions').where('expires_at', '<=', at).execute();
  }
}
