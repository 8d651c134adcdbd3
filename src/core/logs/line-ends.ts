const LF = 10;
const CR = 13;

/** Turns a CR that no LF follows, the line end of old Macs, into LF. A chunk may come back as it is. */
export class LineEnds {
  /** Undefined: no line end was seen yet that decides. */
  #turns: boolean | undefined;
  /** The last byte of the chunk before was a CR; what follows it decides. */
  #held = false;

  /** @param where `every` CR alone, or only those of a `file` whose first chunk with a line end has no LF: in a log one may stand inside of a line */
  constructor(where: 'every' | 'file' = 'every') {
    this.#turns = where === 'every' ? true : undefined;
  }

  push(chunk: Uint8Array): Uint8Array {
    if (chunk.length === 0 || this.#turns === false) return chunk;
    let bytes = chunk;
    if (this.#held) {
      bytes = new Uint8Array(chunk.length + 1);
      bytes[0] = CR;
      bytes.set(chunk, 1);
    }
    if (this.#turns === undefined && bytes.includes(LF)) {
      this.#turns = false;
      return bytes;
    }
    this.#held = bytes[bytes.length - 1] === CR;
    if (this.#held) bytes = bytes.subarray(0, -1);
    let ended: Uint8Array | undefined;
    for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) {
      if (bytes[at + 1] === LF) continue;
      ended ??= Uint8Array.from(bytes);
      ended[at] = LF;
    }
    if (ended !== undefined) this.#turns = true;
    return ended ?? bytes;
  }

  /** The rest, when the text has ended. */
  end(): Uint8Array {
    return this.#held ? Uint8Array.of(LF) : new Uint8Array(0);
  }
}
