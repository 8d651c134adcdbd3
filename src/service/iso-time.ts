import type { UnixMs } from '../core/units.ts';

let second = Number.NaN;
let prefix = '';

/**
 * RFC 3339 text in UTC with milliseconds and Z (decisions 4.10), equal to `toISOString`. The text up to the
 * second is reused between calls.
 */
export function isoTime(at: UnixMs): string {
  const now = Math.floor(at / 1000);
  if (now !== second) {
    prefix = new Date(now * 1000).toISOString().slice(0, 20);
    second = now;
  }
  const ms = at - now * 1000;
  return `${prefix}${ms < 10 ? '00' : ms < 100 ? '0' : ''}${ms}Z`;
}
