import { grown } from '../core/kit/grown.ts';
import { SlotIndex } from '../core/kit/slot-index.ts';
import type { Image, SectionInput } from './image.ts';

/**
 * JSON fragments by record number: bytes one after another, and where each begins. The top bit of an offset says that its record holds
 * bytes past ASCII, so that the others take the shorter way to a string.
 */
const WIDE = 0x8000_0000;

/** Texts as the image holds them: where each begins (and, last, where the bytes end) and their UTF-8 bytes. Text 0 is empty. */
export interface PackedTexts {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Hash of each text; a packer that goes on after the block or takes texts from it needs them again. */
  readonly hashes?: Uint32Array<ArrayBuffer>;
}

/**
 * Numbers distinct texts in the order they come and keeps them as the image does, so that hundreds of thousands of them are bytes in one block and never
 * strings in a heap. A text is written piece by piece and ended; equal ones are found by hash and compared byte by byte.
 */
export class TextPacker {
  readonly #encoder = new TextEncoder();
  #bytes: Uint8Array<ArrayBuffer>;
  #offsets: Uint32Array<ArrayBuffer>;
  #hashes: Uint32Array<ArrayBuffer>;
  #index: SlotIndex;
  #count = 1;
  /** End of the texts that have a number, and of the one that is being written. */
  #used = 0;
  #at = 0;
  #wide = false;

  /** @param expected number of texts. Reserved and unwritten memory costs nothing; more of them grow by doubling */
  constructor(expected = 0) {
    this.#bytes = new Uint8Array((1 << 16) + 128 * expected);
    this.#offsets = new Uint32Array(1024 + expected);
    this.#hashes = new Uint32Array(1024 + expected);
    this.#index = new SlotIndex((id) => this.#hashes[id]!, 1024 + expected);
  }

  /** A packer that goes on after a block of distinct texts, in its memory. */
  static continuing({ offsets, bytes, hashes }: PackedTexts): TextPacker {
    const packer = new TextPacker();
    // With the reserve behind the texts.
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

  /** A piece of text as it is. */
  text(text: string): void {
    const bytes = this.#room(3 * text.length);
    const { written } = this.#encoder.encodeInto(text, bytes.subarray(this.#at));
    this.#at += written;
    if (written !== text.length) this.#wide = true;
  }

  /** A piece that is known as ASCII bytes. */
  ascii(piece: Uint8Array): void {
    const bytes = this.#room(piece.length);
    let at = this.#at;
    for (let i = 0; i < piece.length; i++) bytes[at++] = piece[i]!;
    this.#at = at;
  }

  /** A text as JSON writes it. Most names are plain ASCII, which needs no escape. */
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

  /** A number as JSON writes it. Those of at most five decimals, as coordinates are, come digit by digit. */
  decimal(value: number): void {
    const scaled = Math.round(Math.abs(value) * 1e5);
    // At most 15 digits: then no other decimal of as few lies nearer to the same double, so these are the digits JSON writes.
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

  /** Ends the text. @returns its number; 0 for the empty text */
  end(): number {
    const size = this.#at - this.#used;
    const wide = this.#wide;
    this.#at = this.#used;
    this.#wide = false;
    return size === 0 ? 0 : this.#enter(size, wide, hashOf(this.#bytes, this.#used, size));
  }

  /** Takes over one text of another block. @returns its number here */
  addFrom({ offsets, bytes, hashes }: PackedTexts, id: number): number {
    const from = offsets[id]! & ~WIDE;
    const size = (offsets[id + 1]! & ~WIDE) - from;
    if (size === 0) return 0;
    const into = this.#room(size);
    for (let i = 0; i < size; i++) into[this.#used + i] = bytes[from + i]!;
    return this.#enter(size, offsets[id]! >= WIDE, hashes?.[id] ?? hashOf(bytes, from, size));
  }

  /** The texts so far, over the packer's own memory: it is not used afterwards. */
  finish(): PackedTexts {
    this.#offsets[this.#count] = this.#used;
    return {
      offsets: this.#offsets.subarray(0, this.#count + 1),
      bytes: this.#bytes.subarray(0, this.#used),
      hashes: this.#hashes.subarray(0, this.#count),
    };
  }

  /** Gives the bytes that were written behind the last text a number, or forgets them when they are known. */
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
    // The number after it says where this text ends; its own top bit comes with it.
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

  /** The bytes, with room for so many more. */
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

/** @returns where the digits end */
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

/** Text of one record of a block. */
export function packedText({ offsets, bytes }: PackedTexts, id: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    'utf8',
    offsets[id]! & ~WIDE,
    offsets[id + 1]! & ~WIDE,
  );
}

export const RECORD_SECTIONS = ['RO', 'RB'] as const;

/** Node's own decoders, which its types leave out; `toString` would look up the encoding at every call. */
interface SliceableBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** Decoded texts a thread keeps at most, in as many places; a record has one place it can be in. Bounds the memory, whatever is asked. */
const CACHE_SLOTS = 1 << 16;

export class RecordTexts {
  readonly offsets: Uint32Array;
  /** The texts' bytes, and those of the image behind them: a reader may take whole words past the end of a text. */
  readonly view: DataView;
  /** Result of `spansOf`, which keeps the reads from being left out. */
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
   * Where the bytes of records stand in `view`. It reads from the first cache lines of each, so that the memory brings those of all of them at the same time;
   * a copy of one after another would wait for each.
   * @param starts, sizes first byte and number of bytes of each record, by place in `ids`
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

  /** Number of records, the empty one included. */
  get count(): number {
    return this.offsets.length - 1;
  }

  /** Text of a record; '' for record 0. */
  text(id: number): string {
    const slot = id & (this.#cachedId.length - 1);
    if (this.#cachedId[slot] === id) return this.#cachedText[slot]!;
    const text = this.read(id);
    this.#cachedId[slot] = id;
    this.#cachedText[slot] = text;
    return text;
  }

  /** The same without the cache. */
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

  /** Order of the offsets, and that every text but the first is a JSON object. */
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
