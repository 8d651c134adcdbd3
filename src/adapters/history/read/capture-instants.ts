import type { Address } from '../../../core/ip/address.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { keyOfNetwork } from '../prefix-key.ts';
import { type Steps, type Transaction, wait } from '../sql.ts';

/**
 * Returns the instants in (from, to] at which captures of an address may have changed, ascending: its events,
 * the runs of listings during its presence, and retractions. Some may change nothing.
 */
export function* captureInstants(
  tx: Transaction,
  address: Address,
  from: UnixMs,
  to: UnixMs,
): Steps<readonly UnixMs[]> {
  const keys = tx.catalogue.lengths[address.family].map((bits) => [tx.keyIn(keyOfNetwork(address, bits)), from, to]);
  const events = yield* wait(
    tx.each<[number]>('select distinct at from evidence_events where prefix = $1 and at > $2 and at <= $3', keys),
  );
  const memory = yield* wait(
    tx.each<[number, number]>(
      'select first_at, last_at from evidence_memory where prefix = $1 and last_at > $2 and first_at <= $3',
      keys,
    ),
  );
  const presence = yield* wait(
    tx.each<[source: number, first: number, last: number | null]>(
      `select t.source, s.first_at, s.last_at from evidence_spells s join evidence_tracks t on t.id = s.track
       where s.prefix = $1 and s.first_at <= $3 and (s.last_at is null or s.last_at > $2)`,
      keys,
    ),
  );
  const spans = presence
    .flat()
    .map(([source, first, last]) => [source, Math.max(first, from), Math.min(last ?? to, to)]);
  const runs = yield* wait(
    tx.each<[number]>('select at from evidence_runs where source = $1 and at >= $2 and at <= $3', spans),
  );
  const retractions = yield* wait(
    tx.query<[number]>('select distinct made_at from evidence_retractions where made_at > $1 and made_at <= $2', [
      from,
      to,
    ]),
  );
  const all = [...events.flat(2), ...memory.flat(2), ...runs.flat(2), ...retractions.flat()];
  return [...new Set(all)]
    .filter((at) => at > from && at <= to)
    .sort((a, b) => a - b)
    .map(unixMs);
}
