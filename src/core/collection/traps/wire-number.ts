/** Bytes of a whole number, the most significant first. @param size bytes, at most 4 */
export function wireNumber(value: number, size: number): string {
  let text = '';
  for (let shift = 8 * (size - 1); shift >= 0; shift -= 8) text += String.fromCharCode((value >>> shift) & 255);
  return text;
}

/** Bytes of a whole number, the least significant first. @param size bytes, at most 4 */
export const littleWireNumber = (value: number, size: number): string =>
  [...wireNumber(value, size)].reverse().join('');

/** The unsigned number of up to four bytes at a place of a text, the most significant first. A missing one counts as 0. */
export function readWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + byteAt(text, at + i);
  return value;
}

/** The same with the least significant byte first. */
export function readLittleWireNumber(text: string, at: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + byteAt(text, at + i);
  return value;
}

/** 0 behind the end of the text. */
const byteAt = (text: string, at: number): number => (at < text.length ? text.charCodeAt(at) & 255 : 0);
