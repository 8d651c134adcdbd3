/**
 * One charge in the ledger's log, 24 bytes, little-endian:
 *
 *   0 h1   4 h2   8 units (negative = refund)   12 clock minute (0 = none, -1 = delivered)
 *   16 pool number, 3 zero bytes
 *   20 check
 *
 * The check covers the five words before it. A record that fails its check is ignored, and later records are
 * still read. The quota day is in the file's name.
 */
import type { QuotaId, QuotaPool } from '../../../core/quota/quota.ts';

export const RECORD_BYTES = 24;
export const RECORD_WORDS = RECORD_BYTES / 4;

/** These numbers are stored: add at the end only. 0 is never written. */
const POOL_NUMBERS: Readonly<Record<QuotaPool, number>> = { ip: 1, account: 2, key: 3, agent: 4, phone: 5 };

/** Compares first letters, because a substring would allocate at every request. */
export function poolNumberOf(id: QuotaId): number {
  switch (id.charCodeAt(0)) {
    case 105:
      return POOL_NUMBERS.ip;
    case 107:
      return POOL_NUMBERS.key;
    case 112:
      return POOL_NUMBERS.phone;
    default:
      return id.charCodeAt(1) === 99 ? POOL_NUMBERS.account : POOL_NUMBERS.agent;
  }
}

const KNOWN_POOLS: ReadonlySet<number> = new Set(Object.values(POOL_NUMBERS));

export const isPoolNumber = (number: number): boolean => KNOWN_POOLS.has(number);

export const isClientPool = (number: number): boolean => number === POOL_NUMBERS.ip;

/**
 * Stands in place of the minute: the units reached the counters that all nodes share, so a restart does not
 * send them again. With positive units the record speaks of refunds.
 */
export const DELIVERED = -1;

export const refundedIn = ({ units, minute }: Pick<ChargeRecord, 'units' | 'minute'>): number =>
  units < 0 === (minute === DELIVERED) ? 0 : -units;

export interface ChargeRecord {
  readonly h1: number;
  readonly h2: number;
  readonly units: number;
  readonly minute: number;
  readonly pool: number;
}

const check = (h1: number, h2: number, units: number, minute: number, pool: number): number => {
  let sum = 0x50554c53;
  sum = Math.imul(sum ^ h1, 0x9e3779b1);
  sum = Math.imul(sum ^ (sum >>> 15) ^ h2, 0x85ebca77);
  sum = Math.imul(sum ^ (sum >>> 13) ^ units, 0xc2b2ae3d);
  sum = Math.imul(sum ^ (sum >>> 16) ^ minute, 0x27d4eb2f);
  sum = Math.imul(sum ^ (sum >>> 15) ^ pool, 0x165667b1);
  return sum ^ (sum >>> 16);
};

export function writeRecord(
  words: Int32Array,
  at: number,
  h1: number,
  h2: number,
  units: number,
  minute: number,
  pool: number,
): void {
  words[at] = h1;
  words[at + 1] = h2;
  words[at + 2] = units;
  words[at + 3] = minute;
  words[at + 4] = pool;
  words[at + 5] = check(h1, h2, units, minute, pool);
}

export function recordIn(words: Int32Array, at: number): ChargeRecord | undefined {
  const record = {
    h1: words[at]!,
    h2: words[at + 1]!,
    units: words[at + 2]!,
    minute: words[at + 3]!,
    pool: words[at + 4]!,
  };
  return record.pool !== 0 && words[at + 5] === check(record.h1, record.h2, record.units, record.minute, record.pool)
    ? record
    : undefined;
}

/**
 * - `unreadable`: no crash explains these failed records: they were zeroed, overwritten or cut out.
 * - `tornBytes`: a crash left these bytes unfinished at the end: part of a record, or allocated space that was never
 *   written.
 */
export interface RecordsRead {
  readonly readable: number;
  readonly unreadable: number;
  readonly tornBytes: number;
}

/** Fills the space reserved ahead of an open log's records. It is not zero, because damage leaves zeros. */
export const RESERVED = 0x52;

function withoutReserve(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === RESERVED) end--;
  return bytes.subarray(0, Math.ceil(end / RECORD_BYTES) * RECORD_BYTES);
}

export function readRecords(stored: Uint8Array, each: (record: ChargeRecord) => void): RecordsRead {
  const bytes = withoutReserve(stored);
  const count = Math.floor(bytes.length / RECORD_BYTES);
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  const words = new Int32Array(aligned.buffer, aligned.byteOffset, count * RECORD_WORDS);
  let readable = 0;
  let end = 0;
  for (let i = 0; i < count; i++) {
    const record = recordIn(words, i * RECORD_WORDS);
    if (record === undefined) continue;
    readable++;
    end = i + 1;
    each(record);
  }
  const tail = bytes.subarray(end * RECORD_BYTES);
  const torn = isTorn(tail, readable > 0);
  return {
    readable,
    unreadable: end - readable + (torn ? 0 : Math.ceil(tail.length / RECORD_BYTES)),
    tornBytes: torn ? tail.length : 0,
  };
}

/**
 * Returns whether a crash explains the bytes after the last good record: one write cut short, or zeros after
 * a loss of power. An incomplete record has no check yet. No crash writes a file without a good record.
 */
function isTorn(tail: Uint8Array, behindGood: boolean): boolean {
  if (tail.length < RECORD_BYTES || (tail.length === RECORD_BYTES && tail[RECORD_BYTES - 1] === RESERVED)) return true;
  return behindGood && tail.subarray(RECORD_BYTES - 4).every((byte) => byte === 0);
}
