import { type UnixMs, unixMs } from '../../../core/units.ts';
import { type Budget, DELIVERY_KEPT_MS, type Delivery, type DeliveryOutcome } from '../../../service/ports.ts';
import { type Sql, type Steps, type Transaction, wait } from '../sql.ts';
import { COUNT_WINDOW_MS, chargeWindow, countNew, linesOf } from './charge-window.ts';
import { namesTooMany, type PreparedDelivery } from './prepare-delivery.ts';
import { untrusted } from './put-trust.ts';

/**
 * Charges the budgets of a delivery and returns undefined if it may be stored. Otherwise returns why not, or
 * the answer that it got before.
 */
export function* admitDelivery(
  tx: Transaction,
  { sent }: PreparedDelivery,
  acceptedAt: UnixMs,
): Steps<DeliveryOutcome | undefined> {
  const { captures, delivery, sourcesMax } = sent;
  const before = delivery && (yield* deliveredBefore(tx, delivery));
  if (before !== undefined) return before;
  const refused = yield* untrusted(tx);
  if (captures.some(({ source }) => refused.has(source.id))) return { status: 'untrusted' };
  const budgets = Map.groupBy(sent.budgets ?? [], ({ of }) => of);
  for (const unit of ['lines', 'addresses'] as const) {
    const charged = budgets.get(unit);
    if (charged === undefined) continue;
    const more = unit === 'lines' ? linesOf(sent) : yield* countNew(tx, captures, acceptedAt - COUNT_WINDOW_MS);
    const until = yield* chargeBudgets(tx, charged, more, acceptedAt);
    if (until !== undefined) return { status: 'over_budget', of: unit, until };
  }
  const tooMany = namesTooMany(captures, tx.catalogue, sourcesMax);
  return tooMany > 0 && (yield* countEmptied(tx)) < tooMany ? { status: 'no_room' } : undefined;
}

function* deliveredBefore(sql: Sql, { account, id, digest }: Delivery): Steps<DeliveryOutcome | undefined> {
  const [known] = yield* wait(
    sql.query<[Uint8Array, string]>('select digest, answer from evidence_deliveries where account = $1 and id = $2', [
      account,
      id,
    ]),
  );
  if (known === undefined) return undefined;
  return Buffer.compare(known[0], digest) === 0 ? { status: 'replayed', answer: known[1] } : { status: 'differs' };
}

/** Counts sources whose captures were all retracted, for every key: they do not count towards the limit. */
function* countEmptied(sql: Sql): Steps<number> {
  const [row] = yield* wait(
    sql.query<[number]>(
      `select count(*) from evidence_sources s where exists (select 1 from evidence_retractions r where r.source = s.id)
       and not exists (select 1 from evidence_tracks t where t.source = s.id and not exists (
         select 1 from evidence_retractions r
         where r.source = s.id and r.sender in ('', t.sender) and r.from_at <= 0 and r.to_at > s.last_run_at))`,
    ),
  );
  return Number(row![0]);
}

/**
 * @returns undefined if all budgets were charged. Otherwise none was, and the result is the time at which the
 * last full one begins again.
 */
function* chargeBudgets(sql: Sql, budgets: readonly Budget[], rows: number, at: UnixMs): Steps<UnixMs | undefined> {
  const charged: (readonly [Budget, ReturnType<typeof chargeWindow>])[] = [];
  for (const budget of budgets) {
    const [held] = yield* wait(
      sql.query<[begunAt: number, rows: number]>(
        'select begun_at, rows from evidence_budgets where name = $1 and window_ms = $2',
        [budget.name, budget.windowMs],
      ),
    );
    charged.push([budget, chargeWindow(budget, held && { begunAt: held[0], rows: held[1] }, rows, at)]);
  }
  const full = charged.flatMap(([, window]) => (typeof window === 'number' ? [window] : []));
  if (full.length > 0) return unixMs(Math.max(...full));
  const put = `insert into evidence_budgets (name, window_ms, begun_at, rows) values ($1, $2, $3, $4)
    on conflict (name, window_ms) do update set begun_at = excluded.begun_at, rows = excluded.rows`;
  for (const [{ name, windowMs }, window] of charged)
    if (typeof window === 'object') yield* wait(sql.query(put, [name, windowMs, window.begunAt, window.rows]));
  return undefined;
}

export function* noteDelivery(
  sql: Sql,
  { account, id, digest }: Delivery,
  answer: string,
  acceptedAt: UnixMs,
): Steps<void> {
  yield* wait(sql.query('delete from evidence_deliveries where accepted_at < $1', [acceptedAt - DELIVERY_KEPT_MS]));
  yield* wait(
    sql.query(
      'insert into evidence_deliveries (account, id, digest, accepted_at, answer) values ($1, $2, $3, $4, $5)',
      [account, id, digest, acceptedAt, answer],
    ),
  );
}
