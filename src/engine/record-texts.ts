import type { Image, SectionInput } from './image.ts';

/**
 * JSON fragments by record number: bytes one after another, and where each begins. The top bit of an offset says that its record holds
 * bytes past ASCII, so that the others take the shorter way to a string.
 */
const WIDE = 0x8000_0000;

/** @param records entry 0 is '' */
export function encodeRecordTexts(name: string, records: readonly string[]): readonly SectionInput[] {
  const offsets = new Uint32Array(records.length + 1);
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(1 << 20);
  let used = 0;
  for (let i = 0; i < records.length; i++) {
    const text = records[i]!;
    if (used + 3 * text.length > bytes.length) {
      const larger = new Uint8Array(2 * bytes.length + 3 * text.length);
      larger.set(bytes);
      bytes = larger;
    }
    const { written } = encoder.encodeInto(text, bytes.subarray(used));
    offsets[i] = written === text.length ? used : (used | WIDE) >>> 0;
    used += written;
    if (used >= WIDE) throw new RangeError('record texts exceed 2 GiB');
  }
  offsets[records.length] = used;
  return [
    { id: `${name}RO`, data: offsets },
    { id: `${name}RB`, data: bytes.subarray(0, used) },
  ];
}

export const RECORD_SECTIONS = ['RO', 'RB'] as const;

/** Node's own decoders, which its types leave out; `toString` would look up the encoding at every call. */
interface SliceableBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/** Decoded texts a thread keeps, in as many places; a record has one place it can be in. Bounds the memory, whatever is asked. */
const CACHE_SLOTS = 1 << 16;

export class RecordTexts {
  readonly offsets: Uint32Array;
  readonly #bytes: SliceableBuffer;
  readonly #cachedId = new Int32Array(CACHE_SLOTS).fill(-1);
  readonly #cachedText: string[] = new Array(CACHE_SLOTS).fill('');

  constructor(image: Image, name: string) {
    this.offsets = image.words32(`${name}RO`);
    const bytes = image.bytes(`${name}RB`);
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) as SliceableBuffer;
  }

  /** Number of records, the empty one included. */
  get count(): number {
    return this.offsets.length - 1;
  }

  /** Text of a record; '' for record 0. */
  text(id: number): string {
    const slot = id & (CACHE_SLOTS - 1);
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
    return (offsets[offsets.length - 1]! & 0x7fff_ffff) === this.#bytes.length ? [] : ['the texts do not end with their bytes'];
  }

  /** Order of the offsets, and that every text but the first is a JSON object. */
  faults(): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    for (let id = 0; id < this.count; id++) {
      const from = this.offsets[id]! & 0x7fff_ffff;
      const to = this.offsets[id + 1]! & 0x7fff_ffff;
      if (from > to || to > this.#bytes.length) return [...faults, `the text of record ${id} ends before it begins`];
      if (id === 0 ? from !== to : !isJsonObject(this.read(id))) faults.push(`record ${id} is no JSON object`);
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
