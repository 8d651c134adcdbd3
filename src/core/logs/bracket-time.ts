import { monthNumber, utcOf } from '../collection/logs/log-event.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../units.ts';

/** A zero stands for any digit, a question mark for a letter or a sign. */
const SHAPE = new TextEncoder().encode('[00/???/0000:00:00:00 ?0000]');
const [OPEN, ZERO, NINE, MINUS, PLUS, ANY] = [91, 48, 57, 45, 43, 63] as const;

export type BracketTime = (bytes: Uint8Array, from: number, to: number) => UnixMs | undefined;

/**
 * Finds `[22/Nov/2026:08:00:00 +0000]` in bytes. It remembers the last date, because neighbouring lines share
 * theirs.
 */
export function bracketTime(): BracketTime {
  let known = '';
  let midnight: number | undefined;
  return (bytes, from, to) => {
    for (let at = bytes.indexOf(OPEN, from); at >= 0 && at + SHAPE.length <= to; at = bytes.indexOf(OPEN, at + 1)) {
      if (!hasShape(bytes, at)) continue;
      const pair = (offset: number): number => 10 * bytes[at + offset]! + bytes[at + offset + 1]! - 11 * ZERO;
      if (!isAt(bytes, at + 1, known)) {
        known = String.fromCharCode(...bytes.subarray(at + 1, at + 12));
        const [year, month, day] = [100 * pair(8) + pair(10), monthNumber(known.slice(3, 6)), pair(1)];
        midnight = utcOf({ year, month, day, hour: 0, minute: 0, second: 0, ms: 0 });
      }
      const [hour, minute, second] = [pair(13), pair(16), pair(19)];
      if (midnight === undefined || hour > 23 || minute > 59 || second > 60) continue;
      const ahead = (bytes[at + 22] === MINUS ? -1 : 1) * (60 * pair(23) + pair(25));
      return unixMs(midnight + (60 * hour + minute - ahead) * MINUTE_MS + 1000 * Math.min(second, 59));
    }
    return undefined;
  };
}

function hasShape(bytes: Uint8Array, at: number): boolean {
  for (let i = 1; i < SHAPE.length; i++) {
    const byte = bytes[at + i]!;
    if (SHAPE[i] === ZERO ? byte < ZERO || byte > NINE : SHAPE[i] !== ANY && SHAPE[i] !== byte) return false;
  }
  return bytes[at + 22] === PLUS || bytes[at + 22] === MINUS;
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return text !== '';
}
