import { type Kysely, sql } from 'kysely';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { SessionRow, SessionStore } from '../../service/session.ts';
import type { MailLink, MailPurpose, SignInStore } from '../../service/sign-in.ts';
import type { Database } from '../database/tables.ts';

/** Throttled attempts and mail links in SQLite or PostgreSQL. */
export class SqlSignInStore implements SignInStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async attempt(id: string, windowMs: number, at: UnixMs): Promise<{ readonly count: number; readonly endsAt: UnixMs }> {
    const row = await this.#db
      .insertInto('attempts')
      .values({ id, count: 1, window_ends_at: at + windowMs })
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet({
          count: sql<number>`case when attempts.window_ends_at <= ${at} then 1 else attempts.count + 1 end`,
          // An end further off than the window is long: the clock has gone back. What was counted stays, for one window more.
          window_ends_at: sql<number>`case when attempts.window_ends_at <= ${at} or attempts.window_ends_at > excluded.window_ends_at then excluded.window_ends_at else attempts.window_ends_at end`,
        }),
      )
      .returning(['count', 'window_ends_at'])
      .executeTakeFirstOrThrow();
    return { count: row.count, endsAt: unixMs(row.window_ends_at) };
  }

  async forgive(id: string, attempts: number): Promise<void> {
    await this.#db
      .updateTable('attempts')
      .set({ count: sql<number>`case when count > ${attempts} then count - ${attempts} else 0 end` })
      .where('id', '=', id)
      .execute();
  }

  async addLink(link: MailLink, at: UnixMs): Promise<void> {
    const row = { id: link.id, purpose: link.purpose, email: link.email, payload: JSON.stringify(link.payload), created_at: at, expires_at: link.expiresAt };
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
    return row === undefined ? undefined : { id, purpose, email: row.email, payload: JSON.parse(row.payload), expiresAt: unixMs(row.expires_at) };
  }

  async takeLink(link: MailLink): Promise<boolean> {
    return await this.#db.transaction().execute(async (trx) => {
      const { numDeletedRows } = await trx.deleteFrom('mail_links').where('id', '=', link.id).executeTakeFirstOrThrow();
      if (numDeletedRows !== 1n) return false;
      await trx.deleteFrom('mail_links').where('email', '=', link.email).where('purpose', '=', link.purpose).execute();
      return true;
    });
  }

  async purge(at: UnixMs): Promise<void> {
    await this.#db.deleteFrom('mail_links').where('expires_at', '<=', at).execute();
    await this.#db.deleteFrom('attempts').where('window_ends_at', '<=', at).execute();
  }
}

/** Console sessions in SQLite or PostgreSQL. */
export class SqlSessionStore implements SessionStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async add(row: SessionRow): Promise<void> {
    await this.#db.insertInto('sessions').values({ id: row.id, account_id: row.accountId, created_at: row.createdAt, expires_at: row.expiresAt }).execute();
  }

  async find(id: string, at: UnixMs): Promise<SessionRow | undefined> {
    const row = await this.#db.selectFrom('sessions').selectAll().where('id', '=', id).where('expires_at', '>', at).executeTakeFirst();
    if (row === undefined) return undefined;
    return { id: row.id, accountId: row.account_id, createdAt: unixMs(row.created_at), expiresAt: unixMs(row.expires_at) };
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
