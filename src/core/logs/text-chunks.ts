import { LineEnds } from './line-ends.ts';

/**
 * Converts the chunks of a file to UTF-8 without a byte order mark, with lines that end in LF or CR LF. It
 * decodes UTF-16 with or without a mark.
 */
export class TextChunks {
  readonly #ends: LineEnds;
  readonly #encoder = new TextEncoder();
  #decoder: TextDecoder | undefined;
  #isFirst = true;

  /** @param ends by default a CR alone ends lines only in a file whose lines all end so */
  constructor(ends: LineEnds = new LineEnds('file')) {
    this.#ends = ends;
  }

  /** @param chunk the first holds four bytes, unless the file ends before */
  push(chunk: Uint8Array): Uint8Array {
    return this.#ends.push(this.#inUtf8(chunk));
  }

  end(): readonly Uint8Array[] {
    return [this.#ends.push(this.#encoder.encode(this.#decoder?.decode())), this.#ends.end()];
  }

  #inUtf8(chunk: Uint8Array): Uint8Array {
    if (this.#isFirst && chunk.length > 0) {
      this.#isFirst = false;
      const label = utf16Of(chunk);
      if (label !== undefined) this.#decoder = new TextDecoder(label);
      else if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return chunk.subarray(3);
    }
    return this.#decoder === undefined ? chunk : this.#encoder.encode(this.#decoder.decode(chunk, { stream: true }));
  }
}

const SOUGHT_BYTES = 4096;
/**
 * Each address has ASCII characters, so one of this many characters of UTF-16 is ASCII, and four of a file
 * are.
 */
const CHARACTERS_AN_ASCII = 16;
const ASCII_LEAST = 4;

/**
 * Excel and PowerShell write such files. Without a mark, zeros only at odd or only at even places show the
 * encoding; other text has none.
 */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const length = Math.min(bytes.length, SOUGHT_BYTES);
  const zeros = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0 && at < length; at = bytes.indexOf(0, at + 1)) zeros[at % 2]!++;
  const [even, odd] = zeros as [number, number];
  const least = Math.max(ASCII_LEAST, length / 2 / CHARACTERS_AN_ASCII);
  if (Math.max(even, odd) < least || Math.min(even, odd) > 0) return undefined;
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}
