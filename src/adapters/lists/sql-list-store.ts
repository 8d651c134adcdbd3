import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ListOptions } from '../../contract/lists.ts';
import { unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type { ListCheck, ListFetch, ListStore, StoredList } from '../../service/lists/list-store.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { changedBy, firstOf, type Handle, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { ListTables } from '../database/tables.ts';

type ListRow = Selectable<ListTables['lists']>;

const ownedBy = (accountId: string | undefined): RawBuilder<unknown> =>
  accountId === undefined ? sql`account_id is null` : sql`account_id = ${accountId}`;

export class SqlListStore extends SqlStore implements ListStore {
  async all(accountId?: string): Promise<readonly StoredList[]> {
    const visible = accountId === undefined ? sql`1 = 1` : sql`account_id = ${accountId} or account_id is null`;
    const rows = sql<ListRow>`select * from lists where ${visible} order by name, account_id`;
    return (await rowsOf(this.db, rows)).map(listOf);
  }

  find(accountId: string, name: string): Promise<StoredList | undefined> {
    return meantBy(this.db, accountId, name);
  }

  save(
    { id, accountId, name, settings }: Pick<StoredList, 'id' | 'accountId' | 'name' | 'settings'>,
    by: By,
    most: number,
    check?: ListCheck,
  ): Promise<StoredList | 'too_many'> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const owner = ownedBy(accountId);
      const held = await rowsOf(trx, sql<ListRow>`select * from lists where ${owner}`);
      const known = held.find((row) => row.name === name);
      if (known === undefined && held.length >= most) return 'too_many';
      check?.(await meantBy(trx, accountId, name));
      const subject = known?.id ?? id;
      const text = JSON.stringify(settings);
      await recordChange(trx, { ...by, action: 'list.save', topic: 'list', subject, detail: { name } });
      if (known === undefined)
        await sql`insert into lists (id, account_id, name, settings, changed_at)
          values (${id}, ${accountId ?? null}, ${name}, ${text}, ${by.at})`.execute(trx);
      else await sql`update lists set settings = ${text}, changed_at = ${by.at} where id = ${subject}`.execute(trx);
      return listOf((await firstOf(trx, sql<ListRow>`select * from lists where id = ${subject}`))!);
    });
  }

  remove(accountId: string | undefined, name: string, by: By, check?: ListCheck): Promise<boolean> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const owner = ownedBy(accountId);
      const found = await firstOf(trx, sql<ListRow>`select * from lists where ${owner} and name = ${name}`);
      if (found === undefined) return false;
      check?.(listOf(found));
      await recordChange(trx, { ...by, action: 'list.remove', topic: 'list', subject: found.id, detail: { name } });
      return (await changedBy(trx, sql`delete from lists where id = ${found.id}`)) === 1;
    });
  }

  async noteFetch(id: string, { at, key, prefixes, bytes }: ListFetch): Promise<void> {
    await sql`update lists set fetched_at = ${at}, fetched_by = ${key}, prefixes = ${prefixes}, bytes = ${bytes}
      where id = ${id}`.execute(this.db);
  }
}

async function meantBy(db: Handle, accountId: string | undefined, name: string): Promise<StoredList | undefined> {
  const rows = sql<ListRow>`select * from lists where name = ${name} and (account_id = ${accountId ?? null} or account_id is null)
    order by case when account_id is null then 1 else 0 end limit 1`;
  const found = await firstOf(db, rows);
  return found && listOf(found);
}

function listOf({
  id,
  account_id,
  name,
  settings,
  changed_at,
  fetched_at,
  fetched_by,
  prefixes,
  bytes,
}: ListRow): StoredList {
  const changedAt = unixMs(Number(changed_at));
  const fetched =
    fetched_at === null
      ? undefined
      : { at: unixMs(Number(fetched_at)), key: fetched_by!, prefixes: Number(prefixes), bytes: Number(bytes) };
  return {
    id,
    accountId: account_id ?? undefined,
    name,
    settings: JSON.parse(settings) as ListOptions,
    changedAt,
    ...(fetched !== undefined && { fetched }),
  };
}
