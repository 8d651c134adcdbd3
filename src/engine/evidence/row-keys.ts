import { grown } from '../../core/kit/grown.ts';
import { packRowKey, packRowKey2, ROW_KEY_WORDS } from './evidence-row.ts';

export class RowKeys {
  #words = new Uint32Array(64);
  #count = 0;
  readonly #numbers = new Map<number, number>();
  #lastKey = -1;
  #lastNumber = 0;

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
