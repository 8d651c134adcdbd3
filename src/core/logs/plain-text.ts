import { LineEnds } from './line-ends.ts';
import { TextChunks } from './text-chunks.ts';

/**
 * Converts a whole text to UTF-8 without a byte order mark, with lines that end in LF or CR LF. It may return
 * the same bytes.
 */
export function plainText(body: Uint8Array): Uint8Array {
  const text = new TextChunks(new LineEnds());
  const parts = [text.push(body), ...text.end()].filter(({ length }) => length > 0);
  return parts.length === 1 ? parts[0]! : joined(parts);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
