import { addressCount } from '../../../core/evidence/address-count.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { Budget, SentDelivery, SourceCaptures } from '../../../service/ports.ts';
import { keyOfRow, keyText, type PrefixKey } from '../prefix-key.ts';
import { type Steps, type Transaction, wait } from '../sql.ts';

export interface BudgetWindow {
  readonly begunAt: number;
  readonly rows: number;
}

export const linesOf = ({ captures, lines }: SentDelivery): number =>
  lines ?? captures.reduce((sum, { batch }) => sum + batch.length, 0);

/** A prefix that a source captured within this time is not counted again. */
export const COUNT_WINDOW_MS = DAY_MS;

export function* countNew(tx: Transaction, captures: readonly SourceCaptures[], since: number): Steps<number> {
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
export function chargeWindow(
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
