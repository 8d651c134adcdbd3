import { type Kysely, sql, type Transaction } from 'kysely';
import type { DeliveryState } from '../../contract/watched-changes.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { WatchlistRequest } from '../../core/watch/read-watchlist.ts';
import type { WatchState } from '../../core/watch/watch-state.ts';
import type { By } from '../../service/accounts/account-store.ts';
import {
  type CheckOutcome,
  type DueDelivery,
  type DueWatchlist,
  isTest,
  type NewDelivery,
  type WatchDelivery,
  type Watchlist,
  type WatchlistCheck,
  type WatchlistStore,
  type WatchStates,
} from '../../service/watchlists/watchlist-store.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { changedBy, firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { Database, WatchlistTables } from '../database/tables.ts';

type ListRow = WatchlistTables['watchlists'];
type DeliveryRow = WatchlistTables['watch_deliveries'];
type Trx = Transaction<Database>;

const ENDED_KEPT_MAX = 200;
const ROWS_PER_STATEMENT = 100;

const nameOf = ({ accountId, id }: Pick<Watchlist, 'accountId' | 'id'>): string => `${accountId}/${id}`;

export class SqlWatchlistStore extends SqlStore implements WatchlistStore {
  put(
    list: Watchlist,
    baseline: WatchStates,
    keeps: (ip: string) => boolean,
    by: By,
    most: number,
    check?: WatchlistCheck,
  ): Promise<Watchlist | 'too_many'> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const { accountId, id, nonce, createdAt, checkedAt, ...request } = list;
      const name = nameOf(list);
      const lists = await listsOf(trx, accountId);
      const before = lists.find((one) => one.id === id);
      if (before === undefined && lists.length >= most) return 'too_many';
      check?.(before);
      const detail = { watchlist: id, entries: request.entries.length };
      await recordChange(trx, { ...by, action: 'watchlist.put', topic: 'watchlist', subject: accountId, detail });
      const values = { request: JSON.stringify(request), due_at: checkedAt };
      if (before === undefined)
        await trx
          .insertInto('watchlists')
          .values({
            list: name,
            account_id: accountId,
            id,
            nonce,
            created_at: createdAt,
            checked_at: checkedAt,
            ...values,
            sequence: 0,
          })
          .execute();
      else await trx.updateTable('watchlists').set(values).where('list', '=', name).execute();
      for (const ip of (await statesOf(trx, name)).keys())
        if (!keeps(ip)) await sql`delete from watch_states where list = ${name} and ip = ${ip}`.execute(trx);
      await putStates(trx, name, baseline);
      return before === undefined ? list : { ...list, nonce: before.nonce, createdAt: before.createdAt };
    });
  }

  async find(accountId: string, id: string): Promise<Watchlist | undefined> {
    return (await listsOf(this.db, accountId)).find((one) => one.id === id);
  }

  list(accountId: string): Promise<readonly Watchlist[]> {
    return listsOf(this.db, accountId);
  }

  remove(accountId: string, id: string, by: By, check?: WatchlistCheck): Promise<boolean> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      const held = (await listsOf(trx, accountId)).find((one) => one.id === id);
      if (held === undefined) return false;
      check?.(held);
      await sql`delete from watchlists where list = ${nameOf(held)}`.execute(trx);
      const detail = { watchlist: id };
      await recordChange(trx, { ...by, action: 'watchlist.remove', topic: 'watchlist', subject: accountId, detail });
      return true;
    });
  }

  async claimDue(now: UnixMs, leaseMs: number): Promise<DueWatchlist | undefined> {
    for (;;) {
      const due = sql<ListRow>`select * from watchlists where due_at <= ${now} order by due_at, list limit 1`;
      const row = await firstOf(this.db, due);
      if (row === undefined) return undefined;
      const claim = now + leaseMs;
      const taken = sql`update watchlists set due_at = ${claim} where list = ${row.list} and due_at = ${row.due_at}`;
      if ((await changedBy(this.db, taken)) > 0) return { ...listOf(row), claim };
    }
  }

  states(list: Watchlist): Promise<WatchStates> {
    return statesOf(this.db, nameOf(list));
  }

  async waiting(list: Watchlist): Promise<number> {
    const waiting = sql<{ count: number }>`select count(*) as count from watch_deliveries
      where list = ${nameOf(list)} and state = 'waiting'`;
    return Number((await firstOf(this.db, waiting))!.count);
  }

  commit(list: DueWatchlist, { states, deliveries, checkedAt, dueAt }: CheckOutcome): Promise<boolean> {
    return this.transaction(async (trx) => {
      const name = nameOf(list);
      const kept = sql`update watchlists set due_at = ${dueAt}, checked_at = ${checkedAt}
        where list = ${name} and due_at = ${list.claim}`;
      if ((await changedBy(trx, kept)) === 0) return false;
      await putStates(trx, name, states);
      await addDeliveries(trx, name, deliveries);
      return true;
    });
  }

  add(list: Watchlist, delivery: NewDelivery): Promise<void> {
    return this.transaction((trx) => addDeliveries(trx, nameOf(list), [delivery]));
  }

  async claimDeliveries(
    now: UnixMs,
    leaseMs: number,
    placesOf: (accountId: string) => number,
  ): Promise<readonly DueDelivery[]> {
    const due = sql<DeliveryRow>`select * from watch_deliveries d
      where state = 'waiting' and next_at <= ${now} and (ip = '' or sequence = (
        select h.sequence from watch_deliveries h where h.list = d.list and h.state = 'waiting' and h.next_at <= ${now}
          and h.ip <> '' and not exists (select 1 from watch_deliveries e
            where e.list = h.list and e.ip = h.ip and e.state = 'waiting' and e.sequence < h.sequence)
        order by h.next_at, h.sequence limit 1)) order by next_at, sequence`;
    const claimed: DueDelivery[] = [];
    for (const row of await rowsOf(this.db, due)) {
      const [accountId = ''] = row.list.split('/');
      const mine = claimed.filter((one) => !isTest(one) && one.list.accountId === accountId);
      if (!isTest(row) && mine.length >= placesOf(accountId)) continue;
      const taken = sql`update watch_deliveries set next_at = ${now + leaseMs}, attempts = attempts + 1
        where id = ${row.id} and state = 'waiting' and next_at = ${row.next_at}`;
      if ((await changedBy(this.db, taken)) === 0) continue;
      const list = await firstOf(this.db, sql<ListRow>`select * from watchlists where list = ${row.list}`);
      const delivery = deliveryOf({ ...row, attempts: row.attempts + 1 });
      if (list !== undefined) claimed.push({ ...delivery, list: listOf(list), since: unixMs(Number(row.since)) });
    }
    return claimed;
  }

  async settle({ id, list }: DueDelivery, state: DeliveryState, result: string, nextAt: UnixMs): Promise<void> {
    await sql`update watch_deliveries set state = ${state}, result = ${result}, next_at = ${nextAt}
      where id = ${id} and state = 'waiting'`.execute(this.db);
    const name = nameOf(list);
    await sql`delete from watch_deliveries where list = ${name} and state <> 'waiting' and sequence <= (
      select sequence from watch_deliveries where list = ${name} and state <> 'waiting'
        order by sequence desc limit 1 offset ${ENDED_KEPT_MAX})`.execute(this.db);
  }

  async end(list: Watchlist, result: string, goneAt: UnixMs): Promise<void> {
    const name = nameOf(list);
    const row = await firstOf(this.db, sql<ListRow>`select * from watchlists where list = ${name}`);
    if (row === undefined || listOf(row).url !== list.url) return;
    const gone = JSON.stringify({ ...JSON.parse(row.request), goneAt });
    await sql`update watchlists set request = ${gone} where list = ${name} and request = ${row.request}`.execute(
      this.db,
    );
    await sql`update watch_deliveries set state = 'failed', result = ${result}
      where list = ${name} and state = 'waiting'`.execute(this.db);
  }

  async deliveries(list: Watchlist, limit: number): Promise<readonly WatchDelivery[]> {
    const rows = sql<DeliveryRow>`select * from watch_deliveries where list = ${nameOf(list)}
      order by sequence desc limit ${limit}`;
    return (await rowsOf(this.db, rows)).map(deliveryOf);
  }

  async replay(list: Watchlist, deliveryId: string, now: UnixMs): Promise<boolean> {
    const again = sql`update watch_deliveries set state = 'waiting', attempts = 0, next_at = ${now}, since = ${now}
      where id = ${deliveryId} and list = ${nameOf(list)}`;
    return (await changedBy(this.db, again)) > 0;
  }
}

async function listsOf(db: Kysely<Database> | Trx, accountId: string): Promise<readonly Watchlist[]> {
  const rows = sql<ListRow>`select * from watchlists where account_id = ${accountId} order by created_at, id`;
  return (await rowsOf(db, rows)).map(listOf);
}

async function statesOf(db: Kysely<Database> | Trx, list: string): Promise<WatchStates> {
  const rows = sql<{ ip: string; state: string }>`select ip, state from watch_states where list = ${list}`;
  return new Map((await rowsOf(db, rows)).map(({ ip, state }) => [ip, JSON.parse(state) as WatchState]));
}

async function putStates(trx: Trx, list: string, states: WatchStates): Promise<void> {
  const rows = [...states].map(([ip, state]) => ({ list, ip, state: JSON.stringify(state) }));
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await trx
      .insertInto('watch_states')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.columns(['list', 'ip']).doUpdateSet({ state: sql`excluded.state` }))
      .execute();
}

/** The list's row serialises writers, so sequences become visible in order. */
async function addDeliveries(trx: Trx, list: string, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const grown = sql<{ sequence: number }>`update watchlists set sequence = sequence + ${deliveries.length}
    where list = ${list} returning sequence`;
  const first = Number((await firstOf(trx, grown))!.sequence) - deliveries.length + 1;
  const rows = deliveries.map(({ id, ip, body, at }, index) => ({
    id,
    list,
    sequence: first + index,
    ip,
    body,
    at,
    since: at,
    next_at: at,
    state: 'waiting',
    attempts: 0,
    result: null,
  }));
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await trx
      .insertInto('watch_deliveries')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
}

const listOf = ({ account_id, id, request, nonce, created_at, checked_at }: ListRow): Watchlist => ({
  ...(JSON.parse(request) as WatchlistRequest & Pick<Watchlist, 'goneAt'>),
  id,
  accountId: account_id,
  nonce,
  createdAt: unixMs(Number(created_at)),
  checkedAt: unixMs(Number(checked_at)),
});

const deliveryOf = ({ id, ip, body, at, state, attempts, next_at, result }: DeliveryRow): WatchDelivery => ({
  id,
  ip,
  body,
  at: unixMs(Number(at)),
  state: state as DeliveryState,
  attempts,
  nextAt: unixMs(Number(next_at)),
  result: result ?? undefined,
});
