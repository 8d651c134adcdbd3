import { Recent } from '../../core/kit/recent.ts';

const EVERY_MS = 1000;
const MAX_KINDS = 256;

interface Kind {
  printedAt: number;
  held: number;
  last: ((repeated: number) => void) | undefined;
}

/**
 * Holds back equal lines within a second. The first is printed at once; the newest follows with the count of
 * the others.
 */
export class LimitRepeats {
  readonly #kinds = new Recent<string, Kind>(MAX_KINDS, (entry, kind) => this.#release(kind, entry));
  readonly #now: () => number;
  readonly #later: (run: () => void, ms: number) => void;

  constructor(
    now: () => number = () => performance.now(),
    later: (run: () => void, ms: number) => void = (run, ms) => void setTimeout(run, ms).unref(),
  ) {
    this.#now = now;
    this.#later = later;
  }

  /** @param print prints the line; `repeated` is the number of further lines that it stands for */
  take(kind: string, print: (repeated: number) => void): void {
    const now = this.#now();
    const known = this.#kinds.get(kind);
    if (known !== undefined && now - known.printedAt < EVERY_MS) {
      if (known.held === 0) this.#later(() => this.#release(kind, known), EVERY_MS - (now - known.printedAt));
      known.held += 1;
      known.last = print;
      return;
    }
    this.#release(kind, known);
    this.#kinds.set(kind, { printedAt: now, held: 0, last: undefined });
    print(0);
  }

  get size(): number {
    return this.#kinds.size;
  }

  #release(kind: string, entry: Kind | undefined): void {
    if (entry === undefined || entry.held === 0) return;
    const { held, last } = entry;
    entry.held = 0;
    entry.last = undefined;
    if (this.#kinds.get(kind) === entry) entry.printedAt = this.#now();
    last?.(held - 1);
  }
}
