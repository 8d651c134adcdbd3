/** Writes the most significant byte first. @param size bytes, at most 4 */
export function wireNumber(value: number, size: number): string {
  let text = '';
  for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) text += String.fromCharCode((value >>> shift) & 255);
  return text;
}

/** Writes the least significant byte first. @param size bytes, at most 4 */
export const littleWireNumber = (value: number, size: number): string =>
  [...wireNumber(value, size)].reverse().join('');

/** Reads up to four bytes, most significant first. Missing bytes count as 0. */
export function readWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + byteAt(text, at + i);
  return value;
}

/** Reads up to four bytes, least significant first. Missing bytes count as 0. */
export function readLittleWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + byteAt(text, at + i);
  return value;
}

const byteAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) & 255 : 0);
