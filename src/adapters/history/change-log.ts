import type { PrefixKey } from './prefix-key.ts';

/** What happened to one entry. The numbers are stored: a byte holds 16 · change + family. */
export const CHANGE = {
  /** Something that is told only by reading the entry anew; also what journals of earlier versions say of every entry. */
  touched: 0,
  /** One capture with a time of its own. */
  captured: 1,
  /** A spell began with the newest run. */
  began: 2,
  /** The open spell ended. */
  ended: 3,
} as const;
export type Change = (typeof CHANGE)[keyof typeof CHANGE];

const KEY_BYTES = { 4: 5, 6: 17 } as const;
const TIME_BYTES = 6;
/** Version, so that no log is empty. */
const HEADER = [2];

/** What one batch changed, in bytes and in the order it was written: enough to bring an image up to it without asking the store about each entry. */
export class ChangeLog {
  readonly #limit: number;
  #bytes = Buffer.alloc(1024);
  #end: number;
  #count = 0;

  /** @param limit changes beyond which nothing is kept: followers then read everything anew */
  constructor(limit: number) {
    this.#limit = limit;
    this.#bytes.set(HEADER);
    this.#end = HEADER.length;
  }

  touched(key: PrefixKey): void {
    this.#begin(CHANGE.touched, key);
  }

  captured(key: PrefixKey, track: number, at: number): void {
    if (this.#begin(CHANGE.captured, key)) this.#detail(track, at);
  }

  began(key: PrefixKey, track: number, at: number): void {
    if (this.#begin(CHANGE.began, key)) this.#detail(track, at);
  }

  ended(key: PrefixKey, track: number, firstAt: number, lastAt: number): void {
    if (!this.#begin(CHANGE.ended, key)) return;
    this.#detail(track, firstAt);
    this.#end = this.#bytes.writeUIntBE(lastAt, this.#end, TIME_BYTES);
  }

  /** The log; null when there were more changes than the limit. */
  pack(): Uint8Array | null {
    return this.#count > this.#limit ? null : this.#bytes.subarray(0, this.#end);
  }

  #begin(change: Change, key: PrefixKey): boolean {
    if (++this.#count > this.#limit) return false;
    if (this.#end + 64 > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length);
    const family = typeof key === 'number' ? 4 : 6;
    this.#bytes[this.#end++] = 16 * change + family;
    if (typeof key === 'number') this.#bytes.writeUIntBE(key, this.#end, KEY_BYTES[4]);
    else this.#bytes.set(key, this.#end);
    this.#end += KEY_BYTES[family];
    return true;
  }

  #detail(track: number, at: number): void {
    this.#end = this.#bytes.writeUInt32BE(track, this.#end);
    this.#end = this.#bytes.writeUIntBE(at, this.#end, TIME_BYTES);
  }
}

/** One change of a log. `track` and times are 0 where the change has none; `lastAt` is that of a spell that ended. */
export type TakeChange = (change: Change, key: PrefixKey, track: number, at: number, lastAt: number) => boolean;

/** Tells the changes of a packed log in their order, until `take` says false. */
export function readChanges(packed: Uint8Array, take: TakeChange): void {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = HEADER.length; at < bytes.length; ) {
    const change = (bytes[at]! >>> 4) as Change;
    const family = bytes[at++]! % 16 === 4 ? 4 : 6;
    const key = family === 4 ? bytes.readUIntBE(at, KEY_BYTES[4]) : bytes.subarray(at, at + KEY_BYTES[6]);
    at += KEY_BYTES[family];
    if (change === CHANGE.touched) {
      if (!take(change, key, 0, 0, 0)) return;
      continue;
    }
    const track = bytes.readUInt32BE(at);
    const time = bytes.readUIntBE(at + 4, TIME_BYTES);
    at += 4 + TIME_BYTES;
    const lastAt = change === CHANGE.ended ? bytes.readUIntBE(at, TIME_BYTES) : 0;
    if (change === CHANGE.ended) at += TIME_BYTES;
    if (!take(change, key, track, time, lastAt)) return;
  }
}
