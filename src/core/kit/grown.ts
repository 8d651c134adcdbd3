type TypedArray = Uint8Array | Uint16Array | Int32Array | Uint32Array | Float64Array;

export function grown<T extends TypedArray>(from: T, atLeast = 0): T {
  const to = new (from.constructor as new (length: number) => T)(Math.max(2 * from.length, atLeast));
  to.set(from);
  return to;
}
