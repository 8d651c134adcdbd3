import { uniteDays } from '../../core/evidence/fold-observations.ts';
import { grown } from '../../core/kit/grown.ts';
import { ROW_OP } from './evidence-delta.ts';

/**
 * Rows of an overlay in columns, chained by prefix. Rows are numbered from 1; 0 ends a chain. A row of
 * ROW_OP.clear hides the image's rows of its source for the prefix. A row of ROW_OP.ended hides the image's
 * open interval of its source, type and pool.
 */
export class OverlayRows {
  #next = new Int32Array(256);
  #source = new Uint32Array(256);
  #pool = new Uint32Array(256);
  #kind = new Uint16Array(256);
  #capturedAt = new Float64Array(256);
  #days = new Uint16Array(256);
  #count = 1;
  /** Removed rows are reused; this is the first of their chain. */
  #free = 0;

  next(row: number): number {
    return this.#next[row]!;
  }

  op(row: number): number {
    return this.#kind[row]! & 0xff;
  }

  type(row: number): number {
    return this.#kind[row]! >>> 8;
  }

  source(row: number): number {
    return this.#source[row]!;
  }

  pool(row: number): number {
    return this.#pool[row]!;
  }

  capturedAt(row: number): number {
    return this.#capturedAt[row]!;
  }

  days(row: number): number {
    return this.#days[row]!;
  }

  /**
   * Adds a row to the chain that begins at `first`, or unites it with a row of the same key. @returns the new
   * first row
   */
  add(first: number, op: number, source: number, type: number, pool: number, capturedAt: number, days: number): number {
    const same = this.#find(first, source, pool, kindOf(op, type));
    if (same === 0) return this.#push(first, op, source, type, pool, capturedAt, days);
    this.#unite(same, op, capturedAt, days);
    return first;
  }

  /** Forgets the rows of a source, here and in the image. @returns the new first row */
  clear(first: number, source: number): number {
    return this.#push(
      this.#without(first, (row) => this.#source[row] === source),
      ROW_OP.clear,
      source,
      0,
      0,
      0,
      0,
    );
  }

  end(first: number, source: number, type: number, pool: number): number {
    const following = kindOf(ROW_OP.following, type);
    const kept = this.#without(first, (row) => this.#is(row, source, pool, following));
    return this.#find(kept, source, pool, kindOf(ROW_OP.ended, type)) === 0
      ? this.#push(kept, ROW_OP.ended, source, type, pool, 0, 0)
      : kept;
  }

  hides(first: number, source: number, type: number, pool: number, following: boolean): boolean {
    const ended = kindOf(ROW_OP.ended, type);
    for (let row = first; row > 0; row = this.#next[row]!) {
      if (this.op(row) === ROW_OP.clear && this.#source[row] === source) return true;
      if (following && this.#is(row, source, pool, ended)) return true;
    }
    return false;
  }

  #is(row: number, source: number, pool: number, kind: number): boolean {
    return this.#source[row] === source && this.#kind[row] === kind && this.#pool[row] === pool;
  }

  #find(first: number, source: number, pool: number, kind: number): number {
    let row = first;
    while (row > 0 && !this.#is(row, source, pool, kind)) row = this.#next[row]!;
    return row;
  }

  #unite(row: number, op: number, capturedAt: number, days: number): void {
    const before = this.#capturedAt[row]!;
    if (op === ROW_OP.following) {
      this.#capturedAt[row] = Math.min(before, capturedAt);
      return;
    }
    this.#days[row] = uniteDays(before, this.#days[row]!, capturedAt, days);
    this.#capturedAt[row] = Math.max(before, capturedAt);
  }

  #without(first: number, isGone: (row: number) => boolean): number {
    let kept = first;
    for (let row = first, before = 0; row > 0; ) {
      const next = this.#next[row]!;
      if (isGone(row)) {
        if (before === 0) kept = next;
        else this.#next[before] = next;
        this.#next[row] = this.#free;
        this.#free = row;
      } else before = row;
      row = next;
    }
    return kept;
  }

  #push(
    first: number,
    op: number,
    source: number,
    type: number,
    pool: number,
    capturedAt: number,
    days: number,
  ): number {
    const row = this.#take();
    this.#next[row] = first;
    this.#source[row] = source;
    this.#pool[row] = pool;
    this.#kind[row] = kindOf(op, type);
    this.#capturedAt[row] = capturedAt;
    this.#days[row] = days;
    return row;
  }

  #take(): number {
    const free = this.#free;
    if (free > 0) {
      this.#free = this.#next[free]!;
      return free;
    }
    const row = this.#count++;
    if (row < this.#next.length) return row;
    this.#next = grown(this.#next);
    this.#source = grown(this.#source);
    this.#pool = grown(this.#pool);
    this.#kind = grown(this.#kind);
    this.#capturedAt = grown(this.#capturedAt);
    this.#days = grown(this.#days);
    return row;
  }
}

const kindOf = (op: number, type: number): number => (type << 8) | op;
