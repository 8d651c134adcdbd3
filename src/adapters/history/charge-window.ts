import { addressCount } from '../../core/evidence/address-count.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { Budget, SentDelivery, SourceCaptures } from '../../service/ports.ts';
import { keyOfRow, keyText, type PrefixKey } from './prefix-key.ts';

/** A window of a budget as the store holds it. */
export interface BudgetWindow {
  readonly begunAt: number;
  readonly rows: number;
}

export const linesOf = ({ captures, lines }: SentDelivery): number =>
  lines ?? captures.reduce((sum, { batch }) => sum + batch.length, 0);

/** A prefix that a source captured within this long is not counted again. */
export const COUNTED_AGAIN_MS = DAY_MS;

/** Each prefix of a batch once, with the addresses it counts. */
export function namedPrefixes({ batch }: SourceCaptures): readonly (readonly [key: PrefixKey, addresses: number])[] {
  const named = new Map<string | number, readonly [PrefixKey, number]>();
  for (let row = 0; row < batch.length; row++) {
    const key = keyOfRow(batch, row);
    named.set(keyText(key), [key, addressCount(batch.family[row] === 4 ? 4 : 6, batch.bits[row]!)]);
  }
  return [...named.values()];
}

/** The window with so many more; when it has no room for them, the moment from which it may. Clocks of nodes differ: a window that begins
 * up to its length ahead is open. */
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
