import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readTotals, type Total } from './day-totals.ts';
import { totalsName } from './ledger-files.ts';

export interface ClosedUse {
  readonly used: number;
  readonly refunded: number;
}

interface Day {
  /** Changes whenever the file was written again. */
  readonly version: string;
  /** Rows of four numbers, ascending by the first two: both halves of the hash, used, refunded. 16 bytes a counter. */
  readonly rows: Int32Array;
}

const ROW = 4;
/** The usage page asks for 30. */
const DAYS_KEPT = 32;
const NO_ROWS = new Int32Array(0);

/** Totals of past days, each parsed once and again only when its file has changed; the days asked about longest ago are dropped first. */
export class ClosedDays {
  readonly #dir: string;
  readonly #days = new Map<number, Day>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** @throws Error when the day's totals are damaged */
  find(day: number, h1: number, h2: number): ClosedUse | undefined {
    const rows = this.#rowsOf(day);
    let low = 0;
    let high = rows.length / ROW;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = middle * ROW;
      const order = rows[at]! - h1 || rows[at + 1]! - h2;
      if (order === 0) return { used: rows[at + 2]!, refunded: rows[at + 3]! };
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  #rowsOf(day: number): Int32Array {
    const version = versionOf(join(this.#dir, totalsName(day)));
    if (version === undefined) return NO_ROWS;
    const known = this.#days.get(day);
    const current = known?.version === version ? known : { version, rows: flatten([...readTotals(this.#dir, day).totals.values()]) };
    this.#days.delete(day);
    this.#days.set(day, current);
    for (const oldest of this.#days.keys()) {
      if (this.#days.size <= DAYS_KEPT) break;
      this.#days.delete(oldest);
    }
    return current.rows;
  }
}

function versionOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino}.${found.size}.${found.mtimeNs}`;
}

function flatten(totals: Total[]): Int32Array {
  const rows = new Int32Array(totals.length * ROW);
  totals.sort((a, b) => a.h1 - b.h1 || a.h2 - b.h2);
  for (const [index, { h1, h2, used, refunded }] of totals.entries()) rows.set([h1, h2, used, refunded], index * ROW);
  return rows;
}
