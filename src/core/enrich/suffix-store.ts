import { grown } from '../kit/grown.ts';

/** Holds texts that are added to records, as consecutive bytes under numbers. Equal texts are stored once. */
export class SuffixStore {
  bytes: Uint8Array = new Uint8Array(64 * 1024);
  starts: Uint32Array = new Uint32Array(1024);
  #refused = new Uint8Array(1024);
  #count = 0;
  readonly #numbers = new Map<string, number>();
  readonly #encoder = new TextEncoder();

  get size(): number {
    return this.starts[this.#count]!;
  }

  add(text: string, isRefused: boolean): number {
    const key = isRefused ? `-${text}` : `+${text}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#count++;
    if (number + 1 >= this.starts.length) {
      this.starts = grown(this.starts);
      this.#refused = grown(this.#refused);
    }
    const from = this.starts[number]!;
    while (from + 3 * text.length > this.bytes.length) this.bytes = grown(this.bytes);
    this.starts[number + 1] = from + this.#encoder.encodeInto(text, this.bytes.subarray(from)).written;
    this.#refused[number] = isRefused ? 1 : 0;
    this.#numbers.set(key, number);
    return number;
  }

  isRefused(number: number): boolean {
    return this.#refused[number] === 1;
  }

  clear(): void {
    this.#count = 0;
    this.#numbers.clear();
  }
}
