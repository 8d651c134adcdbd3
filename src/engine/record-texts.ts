import { grown } from '../core/kit/grown.ts';
import { SlotIndex } from '../core/kit/slot-index.ts';
import type { Image, SectionInput } from './image.ts';

/** Top bit of an offset whose record holds bytes past ASCII; all others are decoded by a faster path. */
const WIDE = 0x8000_0000;

/**
 * The image holds texts as the offset of each, the end of the bytes, and the UTF-8 bytes. Text 0 is empty. `hashes`:
 * hash of each text, for packers that continue the block or copy texts from it.
 */
export interface PackedTexts {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly hashes?: Uint32Array<ArrayBuffer>;
}

/**
 * Numbers distinct texts in order and keeps them as the image does: hundreds of thousands of texts are bytes
 * in one block, never strings on the heap. A text is written in pieces and ended; equal ones are found by
 * hash and compared byte by byte.
 */
export class TextPacker {
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array<ArrayBuffer>;
  #offsets: Uint32Array<ArrayBuffer>;
  #hashes: Uint32Array<ArrayBuffer>;
  #index: SlotIndex;
  #count = 1;
  #used = 0;
  #at = 0;
  #wide = false;

  /** @param expected number of texts. Reserved and unwritten memory costs nothing; more texts double it */
  constructor(expected = 0) {
    this.#bytes = new Uint8Array((1 << 16) + 128 * expected);
    this.#offsets = new Uint32Array(1024 + expected);
    this.#hashes = new Uint32Array(1024 + expected);
    this.#index = new SlotIndex((id) => this.#hashes[id]!, 1024 + expected);
  }

  static continuing({ offsets, bytes, hashes }: PackedTexts): TextPacker {
    const packer = new TextPacker();
    // The view includes the reserve behind the texts.
    packer.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset);
    packer.#offsets = offsets;
    packer.#count = offsets.length - 1;
    packer.#used = bytes.length;
    packer.#at = bytes.length;
    packer.#hashes = hashes ?? hashesOf(offsets, bytes);
    packer.#grow();
    packer.#index = new SlotIndex((id) => packer.#hashes[id]!, packer.#offsets.length);
    for (let id = 1; id < packer.#count; id++) packer.#index.add(packer.#hashes[id]!, id);
    return packer;
  }

  text(text: string): void {
    const bytes = this.#room(3 * text.length);
    const { written } = this.#encoder.encodeInto(text, bytes.subarray(this.#at));
    this.#at += written;
    if (written !== text.length) this.#wide = true;
  }

  ascii(piece: Uint8Array): void {
    const bytes = this.#room(piece.length);
    let at = this.#at;
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece[i]!;
    this.#at = at;
  }

  /** Most names are plain ASCII, which needs no escape. */
  quoted(text: string): void {
    const bytes = this.#room(text.length + 2);
    let at = this.#at;
    bytes[at++] = 34;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < 32 || code > 126 || code === 34 || code === 92) {
        this.text(JSON.stringify(text));
        return;
      }
      bytes[at++] = code;
    }
    bytes[at++] = 34;
    this.#at = at;
  }

  /** Writes a JSON number. One of at most five decimals, such as a coordinate, is written digit by digit. */
  decimal(value: number): void {
    const scaled = Math.round(Math.abs(value) * 1e5);
    // Up to 15 digits no shorter decimal lies nearer to the same double, so JSON writes these digits too.
    if (scaled >= 1e9 || scaled / 1e5 !== Math.abs(value)) {
      this.text(JSON.stringify(value));
      return;
    }
    const bytes = this.#room(12);
    if (value < 0) bytes[this.#at++] = 45;
    const whole = Math.trunc(scaled / 1e5);
    this.#at = digits(bytes, this.#at, whole, whole >= 1000 ? 4 : whole >= 100 ? 3 : whole >= 10 ? 2 : 1);
    let fraction = scaled - whole * 1e5;
    if (fraction === 0) return;
    let length = 5;
    while (fraction % 10 === 0) {
      fraction /= 10;
      length--;
    }
    bytes[this.#at++] = 46;
    this.#at = digits(bytes, this.#at, fraction, length);
  }

  end(): number {
    const size = this.#at - this.#used;
    const wide = this.#wide;
    this.#at = this.#used;
    this.#wide = false;
    return size === 0 ? 0 : this.#enter(size, wide, hashOf(this.#bytes, this.#used, size));
  }

  addFrom({ offsets, bytes, hashes }: PackedTexts, id: number): number {
    const from = offsets[id]! & ~WIDE;
    const size = (offsets[id + 1]! & ~WIDE) - from;
    if (size === 0) return 0;
    const into = this.#room(size);
    for (let i = 0; i < size; i++) into[this.#used + i] = bytes[from + i]!;
    return this.#enter(size, offsets[id]! >= WIDE, hashes?.[id] ?? hashOf(bytes, from, size));
  }

  /** Returns the texts as views of the packer's memory, which is not used afterwards. */
  finish(): PackedTexts {
    this.#offsets[this.#count] = this.#used;
    return {
      offsets: this.#offsets.subarray(0, this.#count + 1),
      bytes: this.#bytes.subarray(0, this.#used),
      hashes: this.#hashes.subarray(0, this.#count),
    };
  }

  #enter(size: number, wide: boolean, hash: number): number {
    const index = this.#index;
    for (let id = index.first(hash); id !== 0; id = index.next())
      if (this.#hashes[id] === hash && this.#equals(id, size)) return id;
    const id = this.#count++;
    this.#hashes[id] = hash;
    index.add(hash, id);
    this.#offsets[id] = wide ? (this.#used | WIDE) >>> 0 : this.#used;
    this.#used += size;
    this.#at = this.#used;
    if (this.#used >= WIDE) throw new RangeError('record texts exceed 2 GiB');
    // The next offset is the end of this text and carries the top bit of the next one.
    if (this.#count + 1 >= this.#offsets.length) this.#grow();
    this.#offsets[this.#count] = this.#used;
    return id;
  }

  #equals(id: number, size: number): boolean {
    const from = this.#offsets[id]! & ~WIDE;
    if ((this.#offsets[id + 1]! & ~WIDE) - from !== size) return false;
    const bytes = this.#bytes;
    for (let i = 0, at = this.#used; i < size; i++) if (bytes[from + i] !== bytes[at + i]) return false;
    return true;
  }

  #room(size: number): Uint8Array {
    if (this.#at + size > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, this.#at + size);
    }
    return this.#bytes;
  }

  #grow(): void {
    this.#offsets = grown(this.#offsets);
    this.#hashes = grown(this.#hashes, this.#offsets.length);
  }
}

function digits(bytes: Uint8Array, at: number, value: number, length: number): number {
  for (let i = at + length - 1, rest = value; i >= at; i--) {
    const next = Math.trunc(rest / 10);
    bytes[i] = 48 + rest - 10 * next;
    rest = next;
  }
  return at + length;
}

function hashesOf(offsets: Uint32Array, bytes: Uint8Array): Uint32Array<ArrayBuffer> {
  const hashes = new Uint32Array(offsets.length);
  for (let id = 1; id + 1 < offsets.length; id++) {
    const from = offsets[id]! & ~WIDE;
    hashes[id] = hashOf(bytes, from, (offsets[id + 1]! & ~WIDE) - from);
  }
  return hashes;
}

function hashOf(bytes: Uint8Array, from: number, size: number): number {
  let h = size;
  let i = from;
  for (const whole = from + size - 3; i < whole; i += 4)
    h =
      Math.imul(h ^ (bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)), 0x0100_0193) ^
      (h >>> 15);
  for (; i < from + size; i++) h = Math.imul(h ^ bytes[i]!, 0x0100_0193);
  h ^= h >>> 15;
  h = Math.imul(h, 0x85eb_ca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

export function encodeRecordTexts(name: string, { offsets, bytes }: PackedTexts): readonly SectionInput[] {
  return [
    { id: `${name}RO`, data: offsets },
    { id: `${name}RB`, data: bytes },
  ];
}

export function packedText({ offsets, bytes }: PackedTexts, id: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'utf8',
    offsets[id]! & ~WIDE,
    offsets[id + 1]! & ~WIDE,
  );
}

export const RECORD_SECTIONS = ['RO', 'RB'] as const;

/** Decoders of Node that its types omit; `toString` would look up the encoding at every call. */
interface SliceableBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** Each record has one slot, which bounds the memory of decoded texts. */
const CACHE_SLOTS = 1 << 16;

export class RecordTexts {
  readonly offsets: Uint32Array;
  /** Bytes of the texts and the rest of the image: a reader may read whole words past the end of a text. */
  readonly view: DataView;
  #touched = 0;
  readonly #bytes: SliceableBuffer;
  readonly #cachedId: Int32Array;
  readonly #cachedText: string[];

  constructor(image: Image, name: string) {
    this.offsets = image.words32(`${name}RO`);
    const bytes = image.bytes(`${name}RB`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as SliceableBuffer;
    this.view = new DataView(bytes.buffer, bytes.byteOffset);
    const slots = Math.min(CACHE_SLOTS, 2 ** Math.ceil(Math.log2(Math.max(1, this.count))));
    this.#cachedId = new Int32Array(slots).fill(-1);
    this.#cachedText = new Array<string>(slots).fill('');
  }

  /**
   * Finds the bytes of records in `view`. It reads the first cache lines of all of them first, so that the
   * memory reads overlap.
   * @param starts, sizes first byte and number of bytes of each record, by index in `ids`
   */
  spansOf(ids: Uint32Array, count: number, starts: Uint32Array, sizes: Uint32Array): void {
    const { offsets, view } = this;
    const last = view.byteLength - 1;
    for (let i = 0; i < count; i++) {
      const start = offsets[ids[i]!]! & 0x7fff_ffff;
      starts[i] = start;
      sizes[i] = (offsets[ids[i]! + 1]! & 0x7fff_ffff) - start;
    }
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      sum ^=
        view.getUint8(Math.min(start, last)) ^
        view.getUint8(Math.min(start + 64, last)) ^
        view.getUint8(Math.min(start + 128, last));
    }
    this.#touched ^= sum;
  }

  get count(): number {
    return this.offsets.length - 1;
  }

  text(id: number): string {
    const slot = id & (this.#cachedId.length - 1);
    if (this.#cachedId[slot] === id) return this.#cachedText[slot]!;
    const text = this.read(id);
    this.#cachedId[slot] = id;
    this.#cachedText[slot] = text;
    return text;
  }

  read(id: number): string {
    const from = this.offsets[id]!;
    const to = this.offsets[id + 1]! & 0x7fff_ffff;
    return from < WIDE ? this.#bytes.latin1Slice(from, to) : this.#bytes.utf8Slice(from & 0x7fff_ffff, to);
  }

  sizeFaults(): readonly string[] {
    const { offsets } = this;
    if (offsets.length < 2 || (offsets[0]! & 0x7fff_ffff) !== 0) return ['there is no empty record'];
    return (offsets[offsets.length - 1]! & 0x7fff_ffff) === this.#bytes.length
      ? []
      : ['the texts do not end with their bytes'];
  }

  /** Checks the order of the offsets, and that every text but the first is a JSON object. */
  faults(): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    for (let id = 0; id < this.count; id++) {
      const from = this.offsets[id]! & 0x7fff_ffff;
      const to = this.offsets[id + 1]! & 0x7fff_ffff;
      if (from > to || to > this.#bytes.length) return [...faults, `the text of record ${id} ends before it begins`];
      const sound = id === 0 ? from === to : isJsonObject(this.read(id));
      if (!sound) faults.push(`record ${id} is not a JSON object`);
      if (faults.length === 5) break;
    }
    return faults;
  }
}

function isJsonObject(text: string): boolean {
  try {
    return text.startsWith('{') && text !== '{}' && typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
