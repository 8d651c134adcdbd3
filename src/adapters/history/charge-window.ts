import { type UnixMs, unixMs } from '../../core/units.ts';
import type { RowBudget, SourceCaptures } from '../../service/ports.ts';

/** A window of a budget as the store holds it. */
export interface BudgetWindow {
  readonly begunAt: number;
  readonly rows: number;
}

export const rowsOf = (captures: readonly SourceCaptures[]): number => captures.reduce((sum, { batch }) => sum + batch.length, 0);

/** The window with so many rows more; when it has no room for them, the moment from which it may. Clocks of nodes differ: a window that begins
 * up to its length ahead is open. */
export function chargeWindow({ most, windowMs }: RowBudget, held: BudgetWindow | undefined, rows: number, at: UnixMs): BudgetWindow | UnixMs {
  const isOpen = held !== undefined && Math.abs(at - held.begunAt) < windowMs;
  const window = isOpen ? held : { begunAt: at, rows: 0 };
  if (window.rows + rows > most) return unixMs(window.begunAt + windowMs);
  return { begunAt: window.begunAt, rows: window.rows + rows };
}
