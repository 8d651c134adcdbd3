/** Types of elements, as `pg_type` numbers them. */
const [BYTEA, INT8, INT4, TEXT] = [17, 20, 23, 25];
/** Dimensions, whether there are nulls, type of the elements; then of the one dimension its length and where it begins. */
const HEADER_BYTES = 20;

/**
 * Arrays as parameters in PostgreSQL's binary format (`array_recv` in its arrayfuncs.c): neither side prints or parses a text for each element, which is most of
 * what a small row costs.
 */
export const byteaArray = (values: readonly Uint8Array[]): Buffer => variable(BYTEA, values);

export const textArray = (values: readonly string[]): Buffer =>
  variable(
    TEXT,
    values.map((value) => Buffer.from(value)),
  );

export function int4Array(values: readonly number[]): Buffer {
  const bytes = begun(INT4, values.length, 8 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) at = bytes.writeInt32BE(value, bytes.writeInt32BE(4, at));
  return bytes;
}

/** @param values whole numbers up to 2^53 */
export function int8Array(values: readonly number[]): Buffer {
  const bytes = begun(INT8, values.length, 12 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(8, at);
    at = bytes.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = bytes.writeUInt32BE(((value % 2 ** 32) + 2 ** 32) % 2 ** 32, at);
  }
  return bytes;
}

function variable(type: number, values: readonly Uint8Array[]): Buffer {
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

function begun(type: number, length: number, size: number): Buffer {
  // An empty array has no dimension.
  const bytes = Buffer.alloc(length === 0 ? 12 : HEADER_BYTES + size);
  bytes.writeInt32BE(length === 0 ? 0 : 1, 0);
  bytes.writeInt32BE(type, 8);
  if (length === 0) return bytes;
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}
