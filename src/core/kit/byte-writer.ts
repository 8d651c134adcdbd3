import { grown } from './grown.ts';

/** Bytes are moved eight at a time: surplus ones are read behind the source's end, and written over by the next text. */
const SLACK = 8;

/** "255." as a little-endian word, by octet, and how many of its bytes count. */
const OCTETS = new Int32Array(256);
const OCTET_BYTES = new Uint8Array(256);
for (let octet = 0; octet < 256; octet++) {
  const text = `${octet}.`;
  OCTET_BYTES[octet] = text.length;
  for (let i = 0; i < text.length; i++) OCTETS[octet]! |= text.charCodeAt(i) << (8 * i);
}

const encoder = new TextEncoder();

/**
 * Bytes written one after another into memory that grows and is used again. `room` comes first, for as many bytes as the writes after it may take;
 * the writes themselves check nothing, so a missing `room` is a RangeError and never a byte elsewhere.
 */
export class ByteWriter {
  /** Bytes that a source of `copy` has behind its end when it is to be copied quickly. */
  static readonly SLACK = SLACK;
  #bytes: Uint8Array<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #at = 0;

  /** @param capacity bytes there is room for before the memory grows */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity + SLACK);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes there is room for. */
  get capacity(): number {
    return this.#bytes.length - SLACK;
  }

  /** Where the next byte goes. */
  get at(): number {
    return this.#at;
  }

  /** Goes on at a place, forward or back. */
  moveTo(at: number): void {
    this.#at = at;
  }

  /** Makes room for so many more bytes. */
  room(bytes: number): void {
    const needed = this.#at + bytes + SLACK;
    if (needed <= this.#bytes.length) return;
    this.#bytes = grown(this.#bytes, needed);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes of another memory. Eight at a time, as 64-bit integers that are never made into objects: short pieces cost less than a call of `set`. */
  copy(from: DataView, start: number, length: number): void {
    const at = this.#at;
    this.#at = at + length;
    const view = this.#view;
    if (start + length + SLACK > from.byteLength) this.#copySingly(from, start, length, at);
    else for (let i = 0; i < length; i += 8) view.setBigInt64(at + i, from.getBigInt64(start + i, true), true);
  }

  /** One byte. */
  byte(byte: number): void {
    this.#bytes[this.#at++] = byte;
  }

  /** An IPv4 address as text. */
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

  /** A text in UTF-8, for which it makes room itself. */
  text(text: string): void {
    this.room(3 * text.length);
    this.#at += encoder.encodeInto(text, this.#bytes.subarray(this.#at)).written;
  }

  /** The text written from a place on, over the writer's own memory: it is good until the next write. */
  since(start: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(start, this.#at);
  }

  #copySingly(from: DataView, start: number, length: number, at: number): void {
    for (let i = 0; i < length; i++) this.#bytes[at + i] = from.getUint8(start + i);
  }
}
