import { grown } from './grown.ts';

/**
 * `copy` moves eight bytes at a time: surplus bytes are read after the source's end, and the next text
 * overwrites them.
 */
const SLACK = 8;

/** Each octet has "255." as a little-endian word, and the number of its bytes in use. */
const OCTETS = new Int32Array(256);
const OCTET_BYTES = new Uint8Array(256);
for (let octet = 0; octet < 256; octet++) {
  const text = `${octet}.`;
  OCTET_BYTES[octet] = text.length;
  for (let i = 0; i < text.length; i++) OCTETS[octet]! |= text.charCodeAt(i) << (8 * i);
}

const encoder = new TextEncoder();

/**
 * Writes bytes into memory that grows and is reused. Call `room` first, with the most bytes that the
 * following writes may take. The writes check nothing themselves; a missing `room` causes a RangeError and
 * never a byte elsewhere.
 */
export class ByteWriter {
  static readonly SLACK = SLACK;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #at = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity + SLACK);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get capacity(): number {
    return this.#bytes.length - SLACK;
  }

  get at(): number {
    return this.#at;
  }

  moveTo(at: number): void {
    this.#at = at;
  }

  room(bytes: number): void {
    const needed = this.#at + bytes + SLACK;
    if (needed <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, needed);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /**
   * Copies bytes of another memory, eight at a time as 64-bit integers that never become objects. For short
   * pieces this is faster than `set`.
   */
  copy(from: DataView, start: number, length: number): void {
    const at = this.#at;
    this.#at = at + length;
    const view = this.#view;
    if (start + length + SLACK > from.byteLength) this.#copySingly(from, start, length, at);
    else for (let i = 0; i < length; i += 8) view.setBigInt64(at + i, from.getBigInt64(start + i, true), true);
  }

  byte(byte: number): void {
    this.#bytes[this.#at++] = byte;
  }

  ipv4(word: number): void {
    const view = this.#view;
    let at = this.#at;
    for (let shift = 24; shift >= 0; shift -= 8) {
      const octet = (word >>> shift) & 255;
      view.setInt32(at, OCTETS[octet]!, true);
      at += OCTET_BYTES[octet]!;
    }
    this.#at = at - 1;
  }

  /** Makes the room itself. */
  text(text: string): void {
    this.room(3 * text.length);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /**
   * Returns the bytes written since an index, a view of the writer's memory that is valid until the next
   * write.
   */
  since(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#at);
  }

  #copySingly(from: DataView, start: number, length: number, at: number): void {
    for (let i = 0; i < length; i++) this.#bytes[at + i] = from.getUint8(start + i);
  }
}
