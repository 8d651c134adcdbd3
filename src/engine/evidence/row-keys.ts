import { grown } from '../../core/kit/grown.ts';
import { packRowKey, packRowKey2, ROW_KEY_WORDS } from './evidence-row.ts';

/** Common parts of rows, each once and under a number. */
export class RowKeys {
  #words: Uint32Array;
  #count: number;
  readonly #numbers = new Map<number, number>();
  #lastKey = -1;
  #lastNumber = 0;

  /** @param known row keys that keep their numbers */
  constructor(known: Uint32Array = new Uint32Array()) {
    this.#count = known.length / ROW_KEY_WORDS;
    this.#words = new Uint32Array(Math.max(2 * known.length, 64));
    this.#words.set(known);
    for (let i = 0; i < this.#count; i++)
      this.#numbers.set(keyOf(known[ROW_KEY_WORDS * i]!, known[ROW_KEY_WORDS * i + 1]!), i);
  }

  words(): Uint32Array {
    return this.#words.subarray(0, ROW_KEY_WORDS * this.#count);
  }

  number(source: number, type: number, pool: number, bits: number, following: boolean): number {
    const first = packRowKey(source, pool);
    const second = packRowKey2(type, bits, following);
    const key = keyOf(first, second);
    if (key === this.#lastKey) return this.#lastNumber;
    const number = this.#numbers.get(key) ?? this.#append(first, second, key);
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  #append(first: number, second: number, key: number): number {
    const number = this.#count++;
    if (ROW_KEY_WORDS * this.#count > this.#words.length) this.#words = grown(this.#words);
    this.#words[ROW_KEY_WORDS * number] = first;
    this.#words[ROW_KEY_WORDS * number + 1] = second;
    this.#numbers.set(key, number);
    return number;
  }
}

const keyOf = (first: number, second: number): number => first * 0x2_0000 + second;
