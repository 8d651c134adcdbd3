import { HOUR_MS } from '../../../core/units.ts';
import { ipv4Key, type PrefixKey } from '../prefix-key.ts';

/**
 * A change in a log is one byte of 16 · change + family, 4 or 16 bytes of address and one of prefix length.
 * Except for `touched`, whose entry must be read from the store again, four bytes of series and six of time
 * follow; `ended` adds six more for the end. `captured` adds a capture with its own time, `began` starts a
 * presence interval with the newest run, and `ended` closes the open one.
 */
export const CHANGE = {
  touched: 0,
  captured: 1,
  began: 2,
  ended: 3,
} as const;
export type Change = (typeof CHANGE)[keyof typeof CHANGE];

const KEY_BYTES = { 4: 5, 6: 17 } as const;
const TIME_BYTES = 6;

/** A follower that was away longer reads everything. */
export const JOURNAL_MS = HOUR_MS;

/**
 * A batch with more changes is journalled as "everything changed"; its log would take about 17 bytes per
 * change.
 */
const CHANGES_MAX = 2_000_000;
const EVERYTHING = Number.POSITIVE_INFINITY;

export class ChangeLog {
  readonly #limit: number;
  #bytes = Buffer.alloc(1024);
  #end = 0;
  #count = 0;

  /** @param limit with more changes nothing is kept, `pack` gives null, and followers read everything again */
  constructor(limit = CHANGES_MAX) {
    this.#limit = limit;
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

  everything(): void {
    this.#count = EVERYTHING;
  }

  pack(): Uint8Array | null {
    return this.#count > this.#limit ? null : this.#bytes.subarray(0, this.#end);
  }

  #begin(change: Change, key: PrefixKey): boolean {
    if (++this.#count > this.#limit) return false;
    if (this.#end + 64 > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length);
    const family = typeof key === 'number' ? 4 : 6;
    this.#bytes[this.#end++] = 16 * change + family;
    if (typeof key === 'number')
      this.#bytes.writeUInt8(key % 64, this.#bytes.writeUInt32BE(Math.floor(key / 64), this.#end));
    else this.#bytes.set(key, this.#end);
    this.#end += KEY_BYTES[family];
    return true;
  }

  #detail(track: number, at: number): void {
    this.#end = this.#bytes.writeUInt32BE(track, this.#end);
    this.#end = this.#bytes.writeUIntBE(at, this.#end, TIME_BYTES);
  }
}

/** Receives one change of a log; false ends the reading. `track` and times are 0 if the change has none; `lastAt` is the end of an ended interval. */
export type TakeChange = (change: Change, key: PrefixKey, track: number, at: number, lastAt: number) => boolean;

export function readChanges(packed: Uint8Array, take: TakeChange): void {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const change = (bytes[at]! >>> 4) as Change;
    const family = bytes[at++]! % 16 === 4 ? 4 : 6;
    const key = family === 4 ? ipv4Key(bytes.readUInt32BE(at), bytes[at + 4]!) : bytes.subarray(at, at + KEY_BYTES[6]);
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
