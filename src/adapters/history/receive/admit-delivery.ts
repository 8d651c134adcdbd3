import { addressCount } from '../../../core/evidence/drop-duplicates.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import {
  type Budget,
  DELIVERY_KEPT_MS,
  type Delivery,
  type DeliveryOutcome,
  type RetractionOutcome,
  type SentDelivery,
  type SourceCaptures,
  type SourceTrust,
  type Trust,
} from '../../../service/ports.ts';
import { keyOfRow, keyText, type PrefixKey } from '../prefix-key.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { type Sql, type Steps, type Transaction, wait } from '../sql.ts';
import { hashBatch, type ReceivedBatch, receiveCaptures } from './receive-captures.ts';

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

interface BudgetWindow {
  readonly begunAt: number;
  readonly rows: number;
}

const linesOf = ({ captures, lines }: SentDelivery): number =>
  lines ?? captures.reduce((sum, { batch }) => sum + batch.length, 0);

/** A prefix that a source captured within this time is not counted again. */
const COUNT_WINDOW_MS = DAY_MS;

function* countNew(tx: Transaction, captures: readonly SourceCaptures[], since: number): Steps<number> {
  let sum = 0;
  for (const one of captures) {
    const source = tx.catalogue.named(one.source.id);
    const named = namedPrefixes(one);
    const known = yield* wait(
      tx.each(
        `select 1 from evidence_events where prefix = $1 and track in (select id from evidence_tracks where source = $2) and at > $3 limit 1`,
        source === undefined ? [] : named.map(([key]) => [tx.keyIn(key), source.id, since]),
      ),
    );
    for (const [i, [, addresses]] of named.entries()) if ((known[i]?.length ?? 0) === 0) sum += addresses;
  }
  return sum;
}

function namedPrefixes({ batch }: SourceCaptures): readonly (readonly [key: PrefixKey, addresses: number])[] {
  const named = new Map<string | number, readonly [PrefixKey, number]>();
  for (let row = 0; row < batch.length; row++) {
    const key = keyOfRow(batch, row);
    named.set(keyText(key), [key, addressCount(batch.family[row] === 4 ? 4 : 6, batch.bits[row]!)]);
  }
  return [...named.values()];
}

/**
 * Returns the window after adding `more` rows or, if they do not fit, the time at which it ends. The clocks
 * of nodes differ, so a window that begins up to its length ahead is open too.
 */
function chargeWindow(
  { most, windowMs }: Budget,
  held: BudgetWindow | undefined,
  more: number,
  at: UnixMs,
): BudgetWindow | UnixMs {
  const isOpen = held !== undefined && Math.abs(at - held.begunAt) < windowMs;
  const window = isOpen ? held : { begunAt: at, rows: 0 };
  if (window.rows + more > most) return unixMs(window.begunAt + windowMs);
  return { begunAt: window.begunAt, rows: window.rows + more };
}

export interface PreparedDelivery {
  readonly sent: SentDelivery;
  readonly batches: readonly { readonly received: ReceivedBatch; readonly hash: Uint8Array }[];
}

export function prepareDelivery(sent: SentDelivery, acceptedAt: UnixMs): PreparedDelivery {
  const received = sent.captures.map(({ source, defaultAt, batch }) =>
    receiveCaptures(source, defaultAt, batch, acceptedAt),
  );
  return { sent, batches: received.map((one) => ({ received: one, hash: hashBatch(one) })) };
}

function namesTooMany(
  captures: readonly SourceCaptures[],
  catalogue: Pick<Catalogue, 'sources' | 'named'>,
  sourcesMax = Number.POSITIVE_INFINITY,
): number {
  const strangers = new Set(
    captures.map(({ source }) => source.id).filter((name) => catalogue.named(name) === undefined),
  );
  return strangers.size === 0 ? 0 : Math.max(0, catalogue.sources.size + strangers.size - sourcesMax);
}

export function* untrusted(sql: Sql): Steps<ReadonlySet<string>> {
  const rows = yield* wait(
    sql.query<[string]>(
      `select s.name from evidence_trust t join evidence_sources s on s.id = t.source where t.trust = 'none'`,
    ),
  );
  return new Set(rows.map(([name]) => name));
}

export function* putTrust(
  tx: Transaction,
  { source: name, trust, madeAt, actor, reason }: SourceTrust,
): Steps<RetractionOutcome | undefined> {
  const source = tx.catalogue.named(name);
  if (source === undefined) return { status: 'unknown_source' };
  yield* wait(
    tx.query(
      `insert into evidence_trust as t (source, trust, made_at, actor, reason) values ($1, $2, $3, $4, $5) on conflict (source) do update set trust = excluded.trust,
       made_at = case when t.trust = excluded.trust then t.made_at else excluded.made_at end, actor = excluded.actor, reason = excluded.reason`,
      [source.id, trust, madeAt, actor, reason],
    ),
  );
  return undefined;
}

export function* readTrusts(sql: Sql): Steps<readonly SourceTrust[]> {
  const rows = yield* wait(
    sql.query<[string, Trust, UnixMs, string, string]>(
      `select s.name, t.trust, t.made_at, t.actor, t.reason from evidence_trust t join evidence_sources s on s.id = t.source order by s.name`,
    ),
  );
  return rows.map(([source, trust, madeAt, actor, reason]) => ({ source, trust, madeAt, actor, reason }));
}
