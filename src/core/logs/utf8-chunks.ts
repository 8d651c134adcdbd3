/** Byte order marks, as Excel and PowerShell write files. */
const UTF16 = new Map([
  [0xfffe, 'utf-16le'],
  [0xfeff, 'utf-16be'],
]);

/** Brings the chunks of a file into UTF-8: UTF-16 with its mark in front is decoded, anything else passes as it is. */
export class Utf8Chunks {
  #decoder: TextDecoder | undefined;
  readonly #encoder = new TextEncoder();
  #isFirst = true;

  /** @param chunk the first holds the mark whole */
  push(chunk: Uint8Array): Uint8Array {
    const label = this.#isFirst && chunk.length > 1 ? UTF16.get(chunk[0]! * 256 + chunk[1]!) : undefined;
    if (label !== undefined) this.#decoder = new TextDecoder(label);
    this.#isFirst = false;
    return this.#decoder === undefined ? chunk : this.#encoder.encode(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The rest, when the file has ended. */
  end(): Uint8Array {
    return this.#encoder.encode(this.#decoder?.decode());
  }
}
