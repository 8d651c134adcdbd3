/** Brings the chunks of a file into UTF-8 without a byte order mark: UTF-16 is decoded, with its mark or without one. Anything else passes as it is. */
export class Utf8Chunks {
  #decoder: TextDecoder | undefined;
  readonly #encoder = new TextEncoder();
  #isFirst = true;

  /** @param chunk the first holds four bytes, unless the file ends before */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#isFirst && chunk.length > 0) {
      this.#isFirst = false;
      const label = utf16Of(chunk);
      if (label !== undefined) this.#decoder = new TextDecoder(label);
      else if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return chunk.subarray(3);
    }
    return this.#decoder === undefined ? chunk : this.#encoder.encode(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The rest, when the file has ended. */
  end(): Uint8Array {
    return this.#encoder.encode(this.#decoder?.decode());
  }
}

/** Excel and PowerShell write such files. Without a mark, a zero next to each ASCII character shows the encoding. */
function utf16Of([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (isAscii(a) && b === 0 && isAscii(c) && d === 0)) return 'utf-16le';
  return (a === 0xfe && b === 0xff) || (a === 0 && isAscii(b) && c === 0 && isAscii(d)) ? 'utf-16be' : undefined;
}

const isAscii = (byte: number | undefined): boolean => byte !== undefined && byte > 8 && byte < 127;
