import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Recent } from '../../../core/kit/recent.ts';
import { SlotIndex } from '../../../core/kit/slot-index.ts';
import { RECORD_WORDS } from './charge-record.ts';
import { totalsName } from './ledger-files.ts';
import { checkTotals, rowsOffset, SLICE_ROWS } from './verify-totals.ts';

export interface ClosedUse {
  readonly used: number;
  readonly refunded: number;
}

export interface ClosedDay {
  find(h1: number, h2: number): ClosedUse | undefined;
}

/** The usage page asks for 30, which are certain to be among the most recent half of these. */
const DAYS_MAX = 64;
const NO_DAY: ClosedDay = { find: () => undefined };

export class ClosedDays {
  readonly #dir: string;
  readonly #days = new Recent<number, { readonly version: string; readonly day: Promise<ClosedDay> }>(DAYS_MAX);

  constructor(dir: string) {
    this.#dir = dir;
  }

  async open(day: number): Promise<ClosedDay> {
    const path = join(this.#dir, totalsName(day));
    const version = await versionOf(path);
    if (version === undefined) return NO_DAY;
    const known = this.#days.get(day);
    const current = known?.version === version ? known : { version, day: this.#read(path, day) };
    this.#days.set(day, current);
    return await current.day;
  }

  #read(path: string, day: number): Promise<ClosedDay> {
    const reading = readTable(path, day);
    reading.catch(() => this.#days.get(day)?.day === reading && this.#days.delete(day));
    return reading;
  }
}

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
  const table = new DayTable(words);
  await inTurns(table.fill());
  return table;
}

async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await setImmediate();
  }
}

class DayTable implements ClosedDay {
  readonly #words: Int32Array;
  readonly #index: SlotIndex;

  constructor(words: Int32Array) {
    this.#words = words;
    this.#index = new SlotIndex((id) => words[RECORD_WORDS * (id - 1)]!, words.length / RECORD_WORDS);
  }

  find(h1: number, h2: number): ClosedUse | undefined {
    const words = this.#words;
    for (let id = this.#index.first(h1); id !== 0; id = this.#index.next()) {
      const at = RECORD_WORDS * (id - 1);
      if (words[at] === h1 && words[at + 1] === h2) return { used: words[at + 2]!, refunded: words[at + 3]! };
    }
    return undefined;
  }

  *fill(): Generator<void, void> {
    for (let row = 1; RECORD_WORDS * row <= this.#words.length; row++) {
      this.#index.add(this.#words[RECORD_WORDS * (row - 1)]!, row);
      if (row % SLICE_ROWS === 0) yield;
    }
  }
}
