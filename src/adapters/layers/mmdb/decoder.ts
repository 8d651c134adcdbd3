import type { Text } from '../../../core/texts/chinese.ts';
import { type Said, said } from '../../../core/texts/said.ts';
import { LayerFileError } from '../layer-data.ts';

export interface DataSection {
  readonly name: string;
  readonly bytes: Buffer;
  readonly dataStart: number;
  readonly dataEnd: number;
}

/** The size of a pointer selects what is added to its value (specification, "Pointer"). */
const POINTER_BASE = [0, 2048, 526_336, 0] as const;
const MAX_DEPTH = 32;
/**
 * A sound file's bytes are read once or twice; without this bound, overlapping records would be read without
 * end.
 */
const MOST_READINGS = 8;

/** Gives 64- and 128-bit numbers as numbers when they are safe, else undefined. */
export function decodeValue(section: DataSection, offset: number): unknown {
  return new Decoder(section, new Map()).value(offset);
}

/** Node's types omit these decoders; `toString` would look up the encoding at every call. */
interface SliceableBuffer extends Buffer {
  latin1Slice(from: number, to: number): string;
  utf8Slice(from: number, to: number): string;
}

/**
 * Decodes many values of one file in turn. Records share texts that a pointer reaches, so these are kept in
 * `shared`.
 */
export class Decoder {
  readonly #section: DataSection;
  readonly #bytes: SliceableBuffer;
  readonly #shared: Map<number, unknown>;
  readonly #slots = new Map<number, number>();
  #at = 0;
  #left: number;

  constructor(section: DataSection, shared: Map<number, unknown>) {
    this.#section = section;
    this.#bytes = section.bytes as SliceableBuffer;
    this.#shared = shared;
    this.#left = MOST_READINGS * (section.dataEnd - section.dataStart);
  }

  /** @throws LayerFileError naming the offset */
  value(offset: number): unknown {
    this.#at = offset;
    return this.#read(0);
  }

  /** Writes the values of a flat map into `cells`, without an object. @returns false for any other value */
  scalars(offset: number, slotOf: (key: string) => number, cells: unknown[]): boolean {
    this.#at = offset;
    this.#need(1);
    const control = this.#bytes[this.#at++]!;
    if (control >> 5 !== 7) return false;
    const size = this.#size(control);
    for (let i = 0; i < size; i++) {
      const slot = this.#slot(slotOf);
      const value = this.#read(1);
      if (typeof value === 'object') return false;
      if (slot >= 0) cells[slot] = value;
    }
    return true;
  }

  #slot(slotOf: (key: string) => number): number {
    this.#need(1);
    const control = this.#bytes[this.#at]!;
    if (control >> 5 !== 1) return this.#slotOfText(slotOf);
    const start = this.#at++;
    const target = this.#pointer(control);
    const known = this.#slots.get(target);
    if (known !== undefined) return known;
    this.#at = start;
    const slot = this.#slotOfText(slotOf);
    this.#slots.set(target, slot);
    return slot;
  }

  #slotOfText(slotOf: (key: string) => number): number {
    const key = this.#read(1);
    return typeof key === 'string' ? slotOf(key) : this.#fail('map key is not a text');
  }

  #fail(what: Text | Said, offset = this.#at): never {
    throw new LayerFileError(this.#section.name, what, { offset });
  }

  #need(count: number): void {
    if (this.#at + count > this.#section.dataEnd) this.#fail('value runs past the data section');
  }

  #spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) this.#fail('values lie over one another');
  }

  #uint(size: number): number | undefined {
    this.#need(size);
    let value = 0;
    for (let i = 0; i < size; i++) value = value * 256 + this.#bytes[this.#at++]!;
    return Number.isSafeInteger(value) ? value : undefined;
  }

  #size(control: number): number {
    const size = control & 31;
    if (size < 29) return size;
    if (size === 29) return 29 + this.#uint(1)!;
    return size === 30 ? 285 + this.#uint(2)! : 65_821 + this.#uint(3)!;
  }

  #pointer(control: number): number {
    const size = (control >> 3) & 3;
    const low = this.#uint(size + 1)!;
    return this.#section.dataStart + POINTER_BASE[size]! + (size === 3 ? low : ((control & 7) << (8 * size + 8)) + low);
  }

  #map(size: number, depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (let i = 0; i < size; i++) {
      const key = this.#read(depth + 1);
      if (typeof key !== 'string') this.#fail('map key is not a text');
      value[key] = this.#read(depth + 1);
    }
    return value;
  }

  #follow(target: number, depth: number): unknown {
    const known = this.#shared.get(target);
    if (known !== undefined) return known;
    const back = this.#at;
    if (target < this.#section.dataStart || target >= this.#section.dataEnd)
      this.#fail('pointer leaves the data section', back);
    this.#at = target;
    const value = this.#read(depth + 1);
    this.#at = back;
    this.#shared.set(target, value);
    return value;
  }

  #text(size: number): string {
    this.#need(size);
    this.#spend(size);
    const from = this.#at;
    this.#at += size;
    const bytes = this.#bytes;
    for (let i = from; i < this.#at; i++) if (bytes[i]! > 127) return bytes.utf8Slice(from, this.#at);
    return bytes.latin1Slice(from, this.#at);
  }

  #read(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail('values nest too deep');
    this.#need(1);
    this.#spend(1);
    const start = this.#at;
    const control = this.#bytes[this.#at++]!;
    let type = control >> 5;
    if (type === 1) return this.#follow(this.#pointer(control), depth);
    if (type === 0) type = this.#uint(1)! + 7;
    const size = this.#size(control);
    switch (type) {
      case 2:
        return this.#text(size);
      case 3:
        this.#need(8);
        this.#at += 8;
        return this.#bytes.readDoubleBE(this.#at - 8);
      case 4:
        this.#need(size);
        this.#at += size;
        return undefined;
      case 5:
      case 6:
      case 9:
      case 10:
        return this.#uint(size);
      case 7:
        return this.#map(size, depth);
      case 8:
        return this.#uint(size)! | 0;
      case 11:
        return Array.from({ length: Math.min(size, this.#section.dataEnd - this.#at) }, () => this.#read(depth + 1));
      case 14:
        return size !== 0;
      case 15:
        this.#need(4);
        this.#at += 4;
        return this.#bytes.readFloatBE(this.#at - 4);
      default:
        return this.#fail(said('unknown data type {type}', { type }), start);
    }
  }
}
