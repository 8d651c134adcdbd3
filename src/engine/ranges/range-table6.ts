import type { Address } from '../../core/ip/address.ts';
import { wordMask } from '../../core/ip/prefix.ts';
import { grown } from '../../core/kit/grown.ts';
import { release } from '../../core/kit/release.ts';
import type { Image, SectionInput } from '../image.ts';
import { BUCKET, encodeCells, MARKED, NODE, nextStart, numberAt, ROOT_BITS, walkCells } from './range-cells.ts';
import type { RangeSet6 } from './range-set.ts';

/**
 * IPv6 ranges: a tree of cells (range-cells.ts) over the first 64 bits, because hardly any range is finer
 * than a /64, and deep tables for the rest.
 *
 *   6C              the tree; a marked cell (kind 11) says that ranges start inside this /64, and in which
 *   deep table
 *
 *   deepFirsts[d+1] entries of the d-th such /64 (its first entry starts at the /64 itself)
 *   deepKeys[2m]    third and fourth word of the start
 *   deepIds[m]      record number
 *
 * Where a range begins inside a /64 and continues past it, the next /64 gets its own entry, so that every /64
 * can be read alone.
 *
 * @param consume releases the memory of the set on the way: it cannot be read afterwards
 */
export function encodeRanges6(name: string, set: RangeSet6, consume = false): readonly SectionInput[] {
  const { count, starts, ids } = set;
  const out = new Encoder(count);
  let deep: number[] | undefined;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const w0 = starts[4 * i]!;
    const w1 = starts[4 * i + 1]!;
    const atStart = starts[4 * i + 2] === 0 && starts[4 * i + 3] === 0;
    if (deep !== undefined && !out.isLast(w0, w1)) {
      out.endDeep(deep);
      deep = undefined;
      out.continueAfter(last, w0, w1, atStart);
    }
    if (atStart) out.push(w0, w1, ids[i]!);
    else {
      if (!out.isLast(w0, w1)) out.push(w0, w1, last);
      deep ??= [0, 0, out.lastId()];
      deep.push(starts[4 * i + 2]!, starts[4 * i + 3]!, ids[i]!);
    }
    last = ids[i]!;
  }
  if (deep !== undefined) {
    out.endDeep(deep);
    out.continueAfter(last);
  }
  if (consume) for (const array of [starts, ids]) release(array);
  return out.sections(name);
}

class Encoder {
  #starts0: Uint32Array;
  #starts1: Uint32Array;
  #cells: Uint32Array;
  #count = 0;
  #w0 = -1;
  #w1 = -1;
  readonly #deepFirsts: number[] = [0];
  readonly #deepKeys: number[] = [];
  readonly #deepIds: number[] = [];

  constructor(expected: number) {
    const capacity = expected + (expected >>> 3) + 16;
    this.#starts0 = new Uint32Array(capacity);
    this.#starts1 = new Uint32Array(capacity);
    this.#cells = new Uint32Array(capacity);
  }

  isLast(w0: number, w1: number): boolean {
    return this.#w0 === w0 && this.#w1 === w1;
  }

  lastId(): number {
    return this.#cells[this.#count - 1]!;
  }

  push(w0: number, w1: number, id: number): void {
    if (this.#count === this.#cells.length) {
      this.#starts0 = grown(this.#starts0);
      this.#starts1 = grown(this.#starts1);
      this.#cells = grown(this.#cells);
    }
    this.#starts0[this.#count] = w0;
    this.#starts1[this.#count] = w1;
    this.#cells[this.#count++] = id;
    this.#w0 = w0;
    this.#w1 = w1;
  }

  endDeep(entries: readonly number[]): void {
    this.#cells[this.#count - 1] = (MARKED | (this.#deepFirsts.length - 1)) >>> 0;
    for (let i = 0; i < entries.length; i += 3) {
      this.#deepKeys.push(entries[i]!, entries[i + 1]!);
      this.#deepIds.push(entries[i + 2]!);
    }
    this.#deepFirsts.push(this.#deepIds.length);
  }

  /** Begins the next /64 with `id`, unless it is (w0, w1) and a range starts exactly there. */
  continueAfter(id: number, w0 = -1, w1 = -1, startsThere = false): void {
    const wraps = this.#w1 === 0xffff_ffff;
    if (wraps && this.#w0 === 0xffff_ffff) return;
    const next0 = wraps ? this.#w0 + 1 : this.#w0;
    const next1 = wraps ? 0 : this.#w1 + 1;
    if (startsThere && next0 === w0 && next1 === w1) return;
    this.push(next0, next1, id);
  }

  sections(name: string): readonly SectionInput[] {
    return [
      {
        id: `${name}6C`,
        data: encodeCells({ count: this.#count, w0: this.#starts0, w1: this.#starts1, cells: this.#cells }),
      },
      { id: `${name}6D`, data: Uint32Array.from(this.#deepFirsts) },
      { id: `${name}6L`, data: Uint32Array.from(this.#deepKeys) },
      { id: `${name}6J`, data: Uint32Array.from(this.#deepIds) },
    ];
  }
}

const TOP = 0xffff_ffff;

const bitsAfter = (w0: number, w1: number, depth: number): number =>
  (depth < 32 ? (w0 << depth) | (depth === 0 ? 0 : w1 >>> (32 - depth)) : depth < 64 ? w1 << depth : 0) >>> 0;

const net = (w0: number, w1: number): string => `${w0.toString(16)}:${w1.toString(16)}`;

export const RANGE_SECTIONS = ['4C', '6C', '6D', '6L', '6J'] as const;

export class RangeTable6 {
  readonly cells: Uint32Array;
  readonly deepFirsts: Uint32Array;
  readonly deepKeys: Uint32Array;
  readonly deepIds: Uint32Array;

  constructor(image: Image, name: string) {
    this.cells = image.words32(`${name}6C`);
    this.deepFirsts = image.words32(`${name}6D`);
    this.deepKeys = image.words32(`${name}6L`);
    this.deepIds = image.words32(`${name}6J`);
  }

  find(w0: number, w1: number, w2: number, w3: number): number {
    const { cells } = this;
    let cell = cells[w0 >>> (32 - ROOT_BITS)]!;
    if (cell < BUCKET) return cell;
    let depth = ROOT_BITS;
    // The 32 bits after `depth`. A sound table has no nodes past bit 64; the bound ends lookups in a damaged
    // one.
    let bits = ((w0 << ROOT_BITS) | (w1 >>> (32 - ROOT_BITS))) >>> 0;
    while (cell >= NODE && cell < MARKED && depth < 64) {
      const stride = ((cell >>> 26) & 15) + 1;
      cell = cells[4 * (cell & 0x3ff_ffff) + (bits >>> (32 - stride))]!;
      depth += stride;
      bits = (depth < 32 ? (w0 << depth) | (w1 >>> (32 - depth)) : w1 << depth) >>> 0;
    }
    if (cell >= BUCKET && cell < NODE) {
      let at = cell & 0xfff_ffff;
      const last = at + 2 * (((cell >>> 28) & 3) + 1);
      while (at < last && cells[at + 1]! <= bits) at += 2;
      cell = cells[at]!;
    }
    return cell < MARKED ? cell : this.#findDeep(cell & 0x3fff_ffff, w2, w3);
  }

  #findDeep(deep: number, w2: number, w3: number): number {
    const { deepKeys } = this;
    let from = this.deepFirsts[deep]!;
    let to = this.deepFirsts[deep + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const key2 = deepKeys[2 * middle]!;
      if (key2 < w2 || (key2 === w2 && deepKeys[2 * middle + 1]! <= w3)) from = middle + 1;
      else to = middle;
    }
    return this.deepIds[from - 1]!;
  }

  lastAlike({ w0, w1, w2, w3 }: Address): Address {
    const { cells } = this;
    let cell = cells[w0 >>> (32 - ROOT_BITS)]!;
    let depth = ROOT_BITS;
    while (cell >= NODE && cell < MARKED && depth < 64) {
      const stride = ((cell >>> 26) & 15) + 1;
      cell = cells[4 * (cell & 0x3ff_ffff) + (bitsAfter(w0, w1, depth) >>> (32 - stride))]!;
      depth += stride;
    }
    let end0 = (w0 | ~wordMask(depth)) >>> 0;
    let end1 = (w1 | ~wordMask(depth - 32)) >>> 0;
    if (cell >= BUCKET && cell < NODE) {
      const bits = bitsAfter(w0, w1, depth);
      const next = nextStart(cells, cell, bits);
      cell = numberAt(cells, cell, bits);
      if (next !== undefined) {
        const start0 = depth < 32 ? ((w0 & wordMask(depth)) | (next >>> depth)) >>> 0 : w0;
        const start1 =
          depth === 0
            ? 0
            : depth < 32
              ? (next << (32 - depth)) >>> 0
              : ((w1 & wordMask(depth - 32)) | (next >>> (depth - 32))) >>> 0;
        end0 = start1 === 0 ? start0 - 1 : start0;
        end1 = (start1 - 1) >>> 0;
      }
    }
    return cell < MARKED
      ? { family: 6, w0: end0, w1: end1, w2: TOP, w3: TOP }
      : this.#lastAlikeDeep(cell & 0x3fff_ffff, { family: 6, w0, w1, w2, w3 });
  }

  #lastAlikeDeep(deep: number, { family, w0, w1, w2, w3 }: Address): Address {
    const { deepFirsts, deepKeys } = this;
    for (let at = deepFirsts[deep]! + 1; at < deepFirsts[deep + 1]!; at++) {
      const [key2, key3] = [deepKeys[2 * at]!, deepKeys[2 * at + 1]!];
      if (key2 > w2 || (key2 === w2 && key3 > w3))
        return { family, w0, w1, w2: key3 === 0 ? key2 - 1 : key2, w3: (key3 - 1) >>> 0 };
    }
    return { family, w0, w1, w2: TOP, w3: TOP };
  }

  ranges(): RangeSet6 {
    const starts: number[] = [];
    const ids: number[] = [];
    const push = (w0: number, w1: number, w2: number, w3: number, id: number): void => {
      if (ids.length > 0 && ids[ids.length - 1] === id) return;
      starts.push(w0, w1, w2, w3);
      ids.push(id);
    };
    walkCells(this.cells, 64, (w0, w1, cell) => {
      if (cell < MARKED) push(w0, w1, 0, 0, cell);
      else {
        const deep = cell & 0x3fff_ffff;
        for (let j = this.deepFirsts[deep]!; j < this.deepFirsts[deep + 1]!; j++)
          push(w0, w1, this.deepKeys[2 * j]!, this.deepKeys[2 * j + 1]!, this.deepIds[j]!);
      }
    });
    return { family: 6, count: ids.length, starts: Uint32Array.from(starts), ids: Uint32Array.from(ids) };
  }

  sizeFaults(): readonly string[] {
    const { cells, deepFirsts, deepKeys, deepIds } = this;
    if (cells.length < 2 ** ROOT_BITS) return [`the table has ${cells.length} cells`];
    if (
      deepFirsts.length === 0 ||
      deepFirsts[0] !== 0 ||
      deepFirsts[deepFirsts.length - 1] !== deepIds.length ||
      deepKeys.length !== 2 * deepIds.length
    )
      return ['the deep tables differ in size'];
    return [];
  }

  faults(faultOf: (id: number) => string | undefined): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const { deepFirsts } = this;
    let deep = 0;
    // A deep table covers one /64, so the next cell must begin with the next /64.
    let next0 = -1;
    let next1 = -1;
    const layout = walkCells(this.cells, 64, (w0, w1, cell) => {
      if (faults.length >= 5) return;
      if (next0 >= 0 && (w0 !== next0 || w1 !== next1))
        faults.push(`the deep table before ${net(w0, w1)} does not end with its /64`);
      next0 = -1;
      const fault = cell < NODE ? faultOf(cell) : undefined;
      if (fault !== undefined) faults.push(`the range at ${net(w0, w1)} names ${fault}`);
      if (cell >= NODE && cell < MARKED) faults.push(`the range at ${net(w0, w1)} holds a node`);
      if (cell < MARKED) return;
      if ((cell & 0x3fff_ffff) !== deep++) faults.push(`the /64 at ${net(w0, w1)} names a wrong deep table`);
      next1 = (w1 + 1) >>> 0;
      next0 = next1 === 0 ? w0 + 1 : w0;
    });
    if (layout !== undefined) faults.push(layout);
    if (next0 >= 0 && next0 <= 0xffff_ffff) faults.push('the last deep table does not end with its /64');
    if (faults.length === 0 && deep !== deepFirsts.length - 1)
      faults.push(`${deepFirsts.length - 1} deep tables, ${deep} cells that name one`);
    return faults.length > 0 ? faults : this.#deepFaults(faultOf);
  }

  #deepFaults(faultOf: (id: number) => string | undefined): readonly string[] {
    const { deepFirsts, deepKeys, deepIds } = this;
    const faults: string[] = [];
    for (let d = 0; d + 1 < deepFirsts.length && faults.length < 5; d++) {
      const first = deepFirsts[d]!;
      if (first >= deepFirsts[d + 1]! || deepKeys[2 * first] !== 0 || deepKeys[2 * first + 1] !== 0)
        return [...faults, `deep table ${d} does not start at its /64`];
      for (let j = first + 1; j < deepFirsts[d + 1]!; j++) {
        const order = deepKeys[2 * j - 2]! - deepKeys[2 * j]! || deepKeys[2 * j - 1]! - deepKeys[2 * j + 1]!;
        if (order >= 0) faults.push(`deep entry ${j} does not start after the one before`);
      }
    }
    for (let j = 0; j < deepIds.length && faults.length < 5; j++) {
      const fault = faultOf(deepIds[j]!);
      if (fault !== undefined) faults.push(`deep entry ${j} names ${fault}`);
    }
    return faults;
  }
}
