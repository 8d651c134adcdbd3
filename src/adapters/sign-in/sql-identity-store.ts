import { sql } from 'kysely';
import { unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type { Identity, IdentityStore, LinkedIdentity } from '../../service/sign-in/sign-in-ports.ts';
import { recordChange } from '../database/record-change.ts';
import { firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { SignInTables } from '../database/tables.ts';

type Row = SignInTables['identities'];

export class SqlIdentityStore extends SqlStore implements IdentityStore {
  async accountOf({ issuer, subject }: Identity): Promise<string | undefined> {
    const one = sql<Row>`select account_id from identities where issuer = ${issuer} and subject = ${subject}`;
    return (await firstOf(this.db, one))?.account_id;
  }

  async all(accountId: string): Promise<readonly LinkedIdentity[]> {
    const mine = sql<Row>`select * from identities where account_id = ${accountId} order by linked_at, issuer, subject`;
    return (await rowsOf(this.db, mine)).map(({ issuer, subject, linked_at }) => ({
      issuer,
      subject,
      linkedAt: unixMs(linked_at),
    }));
  }

  link({ issuer, subject }: Identity, accountId: string, isNew: boolean, by: By): Promise<void> {
    return this.transaction(async (trx) => {
      const added = await trx
        .insertInto('identities')
        .values({ issuer, subject, account_id: accountId, linked_at: by.at })
        .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
        .returning('subject')
        .executeTakeFirst();
      if (added === undefined) return;
      const detail = { issuer, ...(isNew && { new_account: true }) };
      await recordChange(trx, { ...by, action: 'identity.link', topic: 'note', subject: accountId, detail });
    });
  }
}
