import { sql } from 'kysely';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { SessionRow, SessionStore } from '../../service/sign-in/session.ts';
import type { MailLink, MailPurpose, SignInStore } from '../../service/sign-in/sign-in.ts';
import { changedBy, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { SignInTables } from '../database/tables.ts';

type Link = SignInTables['mail_links'];
type Row = SignInTables['sessions'];

export class SqlSignInStore extends SqlStore implements SignInStore {
  async addLink(link: MailLink, at: UnixMs): Promise<void> {
    const row = {
      id: link.id,
      purpose: link.purpose,
      email: link.email,
      payload: JSON.stringify(link.payload),
      created_at: at,
      expires_at: link.expiresAt,
    };
    await this.db.insertInto('mail_links').values(row).execute();
  }

  async findLink(id: string, purpose: MailPurpose, at: UnixMs): Promise<MailLink | undefined> {
    const row = await firstOf(
      this.db,
      sql<Link>`select * from mail_links where id = ${id} and purpose = ${purpose} and expires_at > ${at}`,
    );
    return row === undefined
      ? undefined
      : { id, purpose, email: row.email, payload: JSON.parse(row.payload), expiresAt: unixMs(row.expires_at) };
  }

  async takeLink(link: MailLink): Promise<boolean> {
    return await this.transaction(async (trx) => {
      if ((await changedBy(trx, sql`delete from mail_links where id = ${link.id}`)) !== 1) return false;
      await trx.deleteFrom('mail_links').where('email', '=', link.email).where('purpose', '=', link.purpose).execute();
      return true;
    });
  }

  async dropLinks(purpose: MailPurpose): Promise<void> {
    await this.db.deleteFrom('mail_links').where('purpose', '=', purpose).execute();
  }

  async purge(at: UnixMs): Promise<void> {
    await this.db.deleteFrom('mail_links').where('expires_at', '<=', at).execute();
  }
}

/** A larger excess shrinks over several sign-ins. */
const MOST_ENDED = 1000;

export class SqlSessionStore extends SqlStore implements SessionStore {
  async add(row: SessionRow, most: number): Promise<void> {
    const { id, accountId } = row;
    const values = {
      id,
      account_id: accountId,
      created_at: row.createdAt,
      seen_at: row.seenAt,
      expires_at: row.expiresAt,
      amr: row.amr.join(' '),
      authenticated_at: row.authenticatedAt,
      country: row.country ?? null,
      agent: row.agent,
    };
    await this.db.insertInto('sessions').values(values).execute();
    // Usually there is nothing to end, and this is one index read.
    const newest = sql`order by created_at desc, id limit ${MOST_ENDED} offset ${most}`;
    const surplus = await rowsOf(
      this.db,
      sql<{ id: string }>`select id from sessions where account_id = ${accountId} ${newest}`,
    );
    const old = surplus.map(({ id }) => id).filter((one) => one !== id);
    if (old.length > 0) await this.db.deleteFrom('sessions').where('id', 'in', old).execute();
  }

  async find(id: string, at: UnixMs): Promise<SessionRow | undefined> {
    const row = await firstOf(this.db, sql<Row>`select * from sessions where id = ${id} and expires_at > ${at}`);
    return row && sessionOf(row);
  }

  async all(accountId: string, at: UnixMs): Promise<readonly SessionRow[]> {
    const open = sql<Row>`select * from sessions where account_id = ${accountId} and expires_at > ${at}`;
    return (await rowsOf(this.db, sql<Row>`${open} order by seen_at desc, id`)).map(sessionOf);
  }

  async touch(id: string, at: UnixMs, expiresAt: UnixMs): Promise<void> {
    const older = sql`id = ${id} and seen_at < ${at}`;
    await sql`update sessions set seen_at = ${at}, expires_at = ${expiresAt} where ${older}`.execute(this.db);
  }

  async noteCountry(accountId: string, country: string): Promise<boolean> {
    return await this.transaction(async (trx) => {
      const mine = sql<{ country: string }>`select country from sign_in_countries where account_id = ${accountId}`;
      const known = (await rowsOf(trx, mine)).map((row) => row.country);
      if (known.includes(country)) return false;
      const row = { account_id: accountId, country };
      await trx
        .insertInto('sign_in_countries')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return known.length > 0;
    });
  }

  async authenticate(id: string, amr: readonly string[], at: UnixMs): Promise<void> {
    const proved = sql`update sessions set amr = ${amr.join(' ')}, authenticated_at = ${at} where id = ${id}`;
    await proved.execute(this.db);
  }

  async remove(id: string, accountId?: string): Promise<boolean> {
    const mine = accountId === undefined ? sql`` : sql`and account_id = ${accountId}`;
    return (await changedBy(this.db, sql`delete from sessions where id = ${id} ${mine}`)) === 1;
  }

  async removeAll(accountId: string, except?: string): Promise<void> {
    let rows = this.db.deleteFrom('sessions').where('account_id', '=', accountId);
    if (except !== undefined) rows = rows.where('id', '<>', except);
    await rows.execute();
  }

  async purge(at: UnixMs): Promise<void> {
    await this.db.deleteFrom('sessions').where('expires_at', '<=', at).execute();
  }
}

const sessionOf = (row: Row): SessionRow => ({
  id: row.id,
  accountId: row.account_id,
  createdAt: unixMs(row.created_at),
  seenAt: unixMs(row.seen_at),
  expiresAt: unixMs(row.expires_at),
  amr: row.amr.split(' '),
  authenticatedAt: unixMs(row.authenticated_at),
  country: row.country ?? undefined,
  agent: row.agent,
});
