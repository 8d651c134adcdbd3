const LF = 10;
const CR = 13;

/** Turns a CR without a following LF, the line end of old Macs, into LF. A chunk may be returned unchanged. */
export class LineEnds {
  #turns: boolean | undefined;
  /** The previous chunk ended with a CR, and the next byte decides. */
  #held = false;

  /**
   * @param where `every` CR alone, or only those of a `file` whose first chunk with a line end has no LF: in
   * a log one may stand inside a line
   */
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

  end(): Uint8Array {
    return this.#held ? Uint8Array.of(LF) : new Uint8Array(0);
  }
}
