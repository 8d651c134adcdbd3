import type { SqlValue } from '../sql.ts';

const TYPES = { bytea: 17, bigint: 20, text: 25 } as const;
type ElementType = keyof typeof TYPES;
/**
 * Header: number of dimensions, flag for nulls, element type; then the length and lower bound of the one
 * dimension.
 */
const HEADER_BYTES = 20;
const NULL = -1;

/**
 * Encodes an array parameter in PostgreSQL's binary format (`array_recv` in its arrayfuncs.c). Neither side
 * prints or parses a text for each element, which is most of the cost of a small row.
 * @param values at least one; numbers are integers up to 2^53
 */
export function arrayOf(values: readonly SqlValue[]): { readonly type: ElementType; readonly bytes: Buffer } {
  const first = values.find((value) => value !== null);
  if (typeof first === 'string') return { type: 'text', bytes: variable('text', values.map(textBytes)) };
  if (first instanceof Uint8Array) return { type: 'bytea', bytes: variable('bytea', values as Uint8Array[]) };
  return { type: 'bigint', bytes: bigints(values as (number | null)[]) };
}

const textBytes = (value: SqlValue): Uint8Array => Buffer.from(value as string);

function bigints(values: readonly (number | null)[]): Buffer {
  const bytes = begun('bigint', values.length, 12 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? NULL : 8, at);
    if (value === null) continue;
    at = bytes.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = bytes.writeUInt32BE(((value % 2 ** 32) + 2 ** 32) % 2 ** 32, at);
  }
  bytes.writeInt32BE(Number(values.includes(null)), 4);
  return bytes.subarray(0, at);
}

function variable(type: ElementType, values: readonly Uint8Array[]): Buffer {
  const bytes = begun(
    type,
    values.length,
    values.reduce((sum, { length }) => sum + 4 + length, 0),
  );
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

function begun(type: ElementType, length: number, size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(TYPES[type], 8);
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}
