import { hash } from 'node:crypto';
import { grown } from '../../core/kit/grown.ts';

export type MmdbValue =
  | string
  | true
  | MmdbNumber
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue | undefined };

export class MmdbNumber {
  readonly value: number;
  readonly type: 'double' | 'uint16' | 'uint32' | 'uint64';

  constructor(type: MmdbNumber['type'], value: number) {
    this.type = type;
    this.value = value;
  }
}

/** MaxMind DB File Format Specification 2.0, "Data Field Format", numbers the types. */
const TYPE = {
  pointer: 1,
  text: 2,
  double: 3,
  uint16: 5,
  uint32: 6,
  map: 7,
  uint64: 9,
  array: 11,
  boolean: 14,
} as const;
/** Values of at least this size are written once and referred to by pointers of two to five bytes. */
const SHARED_FROM = 4;
const POINTER_BASE = [0, 2048, 526_336] as const;

const ENCODER = new TextEncoder();

/**
 * A value's key is its JSON text, or a digest of a long one, because a file of places has millions of values.
 */
const keyOf = (value: MmdbValue): string => {
  const text = JSON.stringify(value);
  return text.length <= 32 ? text : hash('md5', text, 'latin1');
};

/**
 * A data section. A repeated text, list or map becomes a pointer to its first occurrence inside another
 * value. Every value of the section is therefore reachable from the tree, as verifiers require.
 */
export class MmdbData {
  #bytes = new Uint8Array(4096);
  #length = 0;
  readonly #added = new Map<string, number>();
  readonly #known = new Map<string, number>();

  add(value: MmdbValue): number {
    const key = keyOf(value);
    const known = this.#added.get(key);
    if (known !== undefined) return known;
    const offset = this.#length;
    this.#added.set(key, offset);
    // No other value holds it, so that it needs no second entry among the shared ones.
    if (value instanceof MmdbNumber || value === true) this.#put(value);
    else this.#write(value);
    return offset;
  }

  get length(): number {
    return this.#length;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #put(value: MmdbValue): void {
    if (value instanceof MmdbNumber) this.#number(value);
    else if (value === true) this.#control(TYPE.boolean, 1);
    else this.#shared(value);
  }

  #shared(value: Exclude<MmdbValue, MmdbNumber | true>): void {
    const key = keyOf(value);
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#pointer(known);
      return;
    }
    const offset = this.#length;
    this.#write(value);
    if (this.#length - offset >= SHARED_FROM) this.#known.set(key, offset);
  }

  #write(value: Exclude<MmdbValue, MmdbNumber | true>): void {
    if (typeof value === 'string') this.#text(value);
    else if (Array.isArray(value)) this.#list(value);
    else this.#map(value as { readonly [key: string]: MmdbValue | undefined });
  }

  #number({ type, value }: MmdbNumber): void {
    if (type === 'double') {
      this.#control(TYPE.double, 8);
      this.#reserve(8);
      new DataView(this.#bytes.buffer).setFloat64(this.#length, value);
      this.#length += 8;
      return;
    }
    let bytes = 0;
    while (value >= 256 ** bytes) bytes++;
    this.#control(TYPE[type], bytes);
    this.#big(value, bytes);
  }

  #text(value: string): void {
    const bytes = ENCODER.encode(value);
    this.#control(TYPE.text, bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #list(values: readonly MmdbValue[]): void {
    this.#control(TYPE.array, values.length);
    for (const value of values) this.#put(value);
  }

  #map(value: { readonly [key: string]: MmdbValue | undefined }): void {
    const entries = Object.entries(value).filter((entry): entry is [string, MmdbValue] => entry[1] !== undefined);
    this.#control(TYPE.map, entries.length);
    for (const [key, field] of entries) {
      this.#put(key);
      this.#put(field);
    }
  }

  #control(type: number, size: number): void {
    const more = size < 29 ? 0 : size < 285 ? 1 : size < 65_821 ? 2 : 3;
    const low = more === 0 ? size : 28 + more;
    if (type > 7) this.#big(low * 256 + type - 7, 2);
    else this.#big((type << 5) | low, 1);
    if (more > 0) this.#big(size - [0, 29, 285, 65_821][more]!, more);
  }

  #pointer(offset: number): void {
    const size = offset < 2048 ? 0 : offset < 526_336 ? 1 : offset < 134_744_064 ? 2 : 3;
    if (size === 3) {
      this.#big((TYPE.pointer << 5) | (3 << 3), 1);
      this.#big(offset, 4);
      return;
    }
    const value = offset - POINTER_BASE[size]!;
    this.#big((TYPE.pointer << 5) | (size << 3) | Math.floor(value / 256 ** (size + 1)), 1);
    this.#big(value % 256 ** (size + 1), size + 1);
  }

  #big(value: number, bytes: number): void {
    this.#reserve(bytes);
    for (let i = bytes - 1; i >= 0; i--) this.#bytes[this.#length++] = Math.floor(value / 256 ** i) % 256;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length) this.#bytes = grown(this.#bytes, this.#length + bytes);
  }
}
