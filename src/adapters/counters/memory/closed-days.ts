import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { RECORD_WORDS } from './charge-record.ts';
import { totalsName } from './ledger-files.ts';
import { checkTotals, rowsOffset, SLICE_ROWS } from './verify-totals.ts';

export interface ClosedUse {
  readonly used: number;
  readonly refunded: number;
}

/** Counters of one past day. */
export interface ClosedDay {
  find(h1: number, h2: number): ClosedUse | undefined;
}

/** The usage page asks for 30. */
const DAYS_KEPT = 32;
const NO_DAY: ClosedDay = { find: () => undefined };

/**
 * Totals of past days, each read once and again only when its file has changed; the days asked about longest ago are dropped first. A file is read and
 * checked a few thousand rows at a time, with look-ups answered in between.
 */
export class ClosedDays {
  readonly #dir: string;
  readonly #days = new Map<number, { readonly version: string; readonly day: Promise<ClosedDay> }>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** @throws Error when the day's totals are damaged */
  async open(day: number): Promise<ClosedDay> {
    const path = join(this.#dir, totalsName(day));
    const version = await versionOf(path);
    if (version === undefined) return NO_DAY;
    const known = this.#days.get(day);
    const current = known?.version === version ? known : { version, day: this.#read(path, day) };
    this.#days.delete(day);
    this.#days.set(day, current);
    for (const oldest of this.#days.keys()) {
      if (this.#days.size <= DAYS_KEPT) break;
      this.#days.delete(oldest);
    }
    return await current.day;
  }

  #read(path: string, day: number): Promise<ClosedDay> {
    const reading = readTable(path, day);
    // A file that could not be read is tried again at the next question.
    reading.catch(() => this.#days.get(day)?.day === reading && this.#days.delete(day));
    return reading;
  }
}

/** Undefined when the file does not exist. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}.${size}.${mtimeNs}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readTable(path: string, day: number): Promise<ClosedDay> {
  const bytes = await readFile(path);
  const fault = await inTurns(checkTotals(bytes, day));
  if (fault !== undefined) throw new Error(`${path} is damaged at byte ${fault.at}: ${fault.how}`);
  const words = new Int32Array(new Uint8Array(bytes.subarray(rowsOffset(bytes))).buffer);
  const table = new DayTable(words.length / RECORD_WORDS);
  await inTurns(table.fill(words));
  return table;
}

/** Runs work that pauses, with a turn of the event loop in each pause. */
async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}

const CELL = 4;

/** Open addressing by the first half of the hash: both halves, used, refunded. A cell whose halves are both 0 is empty, and that one counter stands apart. */
class DayTable implements ClosedDay {
  readonly #cells: Int32Array;
  readonly #mask: number;
  #zero: ClosedUse | undefined;

  constructor(rows: number) {
    const cells = 2 ** Math.ceil(Math.log2(rows * 1.25 + 1));
    this.#cells = new Int32Array(cells * CELL);
    this.#mask = cells - 1;
  }

  find(h1: number, h2: number): ClosedUse | undefined {
    if (h1 === 0 && h2 === 0) return this.#zero;
    const at = this.#cellOf(h1, h2);
    const cells = this.#cells;
    return cells[at] === h1 && cells[at + 1] === h2 ? { used: cells[at + 2]!, refunded: cells[at + 3]! } : undefined;
  }

  /** @param words records as in the file */
  *fill(words: Int32Array): Generator<void, void> {
    for (let at = 0, row = 1; at < words.length; at += RECORD_WORDS, row++) {
      const [h1, h2, used, refunded] = [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
      if (h1 === 0 && h2 === 0) this.#zero = { used, refunded };
      else {
        const cell = this.#cellOf(h1, h2);
        this.#cells.set([h1, h2, used, refunded], cell);
      }
      if (row % SLICE_ROWS === 0) yield;
    }
  }

  /** The cell of the counter, or the empty one where it belongs. */
  #cellOf(h1: number, h2: number): number {
    const cells = this.#cells;
    let cell = h1 & this.#mask;
    for (;;) {
      const at = cell * CELL;
      if ((cells[at] === h1 && cells[at + 1] === h2) || (cells[at] === 0 && cells[at + 1] === 0)) return at;
      cell = (cell + 1) & this.#mask;
    }
  }
}
