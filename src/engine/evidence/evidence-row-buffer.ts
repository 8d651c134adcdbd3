import { uniteDays } from '../../core/evidence/fold-observations.ts';
import { grown } from '../../core/kit/grown.ts';
import type { EvidenceColumns } from './evidence-delta.ts';

/**
 * Growing columns. A store fills them row by row and passes them to the builder in chunks or to threads as a
 * delta.
 */
export class EvidenceRowBuffer {
  #length = 0;
  #op: Uint8Array;
  #family: Uint8Array;
  #words: Uint32Array;
  #bits: Uint8Array;
  #source: Uint16Array;
  #type: Uint8Array;
  #pool: Uint16Array;
  #capturedAt: Float64Array;
  #days: Uint16Array;

  constructor(capacity = 1024) {
    this.#op = new Uint8Array(capacity);
    this.#family = new Uint8Array(capacity);
    this.#words = new Uint32Array(4 * capacity);
    this.#bits = new Uint8Array(capacity);
    this.#source = new Uint16Array(capacity);
    this.#type = new Uint8Array(capacity);
    this.#pool = new Uint16Array(capacity);
    this.#capturedAt = new Float64Array(capacity);
    this.#days = new Uint16Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  prefix(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number): number {
    const i = this.#length;
    if (i === this.#bits.length) this.#grow();
    this.#length = i + 1;
    this.#family[i] = family;
    this.#words[4 * i] = w0;
    this.#words[4 * i + 1] = w1;
    this.#words[4 * i + 2] = w2;
    this.#words[4 * i + 3] = w3;
    this.#bits[i] = bits;
    return i;
  }

  row(i: number, op: number, source: number, type: number, pool: number, capturedAt: number, days: number): void {
    this.#op[i] = op;
    this.#source[i] = source;
    this.#type[i] = type;
    this.#pool[i] = pool;
    this.#capturedAt[i] = capturedAt;
    this.#days[i] = days;
  }

  unite(i: number, capturedAt: number, days: number): void {
    const before = this.#capturedAt[i]!;
    this.#days[i] = uniteDays(before, this.#days[i]!, capturedAt, days);
    this.#capturedAt[i] = Math.max(before, capturedAt);
  }

  reset(): void {
    this.#length = 0;
  }

  /** Returns views of the rows so far; they are valid until the next `prefix` or `reset`. */
  columns(): EvidenceColumns {
    return this.#slice((column, to) => column.subarray(0, to) as typeof column);
  }

  copy(): EvidenceColumns {
    return this.#slice((column, to) => column.slice(0, to) as typeof column);
  }

  #slice(
    cut: <T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(column: T, to: number) => T,
  ): EvidenceColumns {
    const length = this.#length;
    return {
      length,
      op: cut(this.#op, length),
      family: cut(this.#family, length),
      words: cut(this.#words, 4 * length),
      bits: cut(this.#bits, length),
      source: cut(this.#source, length),
      type: cut(this.#type, length),
      pool: cut(this.#pool, length),
      capturedAt: cut(this.#capturedAt, length),
      days: cut(this.#days, length),
    };
  }

  #grow(): void {
    this.#op = grown(this.#op);
    this.#family = grown(this.#family);
    this.#words = grown(this.#words);
    this.#bits = grown(this.#bits);
    this.#source = grown(this.#source);
    this.#type = grown(this.#type);
    this.#pool = grown(this.#pool);
    this.#capturedAt = grown(this.#capturedAt);
    this.#days = grown(this.#days);
  }
}
