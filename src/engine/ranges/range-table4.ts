import type { Image, SectionInput } from '../image.ts';
import { BUCKET, encodeCells, NODE, nextStart, ROOT_BITS, walkCells } from './range-cells.ts';
import type { RangeSet4 } from './range-set.ts';

export function encodeRanges4(name: string, { count, starts, ids }: RangeSet4): readonly SectionInput[] {
  return [{ id: `${name}4C`, data: encodeCells({ count, w0: starts, w1: undefined, cells: ids }) }];
}

const nodeMask = (cell: number): number => cell >> 31;
const bucketMask = (cell: number): number => ((cell << 1) >> 31) & ~(cell >> 31);

export class RangeTable4 {
  readonly cells: Uint32Array;
  #touched = 0;

  /** @param name first two characters of the section's id */
  constructor(image: Image, name: string) {
    this.cells = image.words32(`${name}4C`);
  }

  find(address: number): number {
    const { cells } = this;
    let cell = cells[address >>> (32 - ROOT_BITS)]!;
    if (cell < BUCKET) return cell;
    let depth = ROOT_BITS;
    // A sound table has no nodes deeper than the address; the bound ends lookups in a damaged one.
    while (cell >= NODE && depth < 32) {
      const stride = ((cell >>> 26) & 15) + 1;
      cell = cells[4 * (cell & 0x3ff_ffff) + ((address << depth) >>> (32 - stride))]!;
      depth += stride;
    }
    if (cell < BUCKET) return cell;
    const key = (address << depth) >>> 0;
    let at = cell & 0xfff_ffff;
    const last = at + 2 * (((cell >>> 28) & 3) + 1);
    while (at < last && cells[at + 1]! <= key) at += 2;
    return cells[at]!;
  }

  /**
   * Returns the last address up to which the number at `address` certainly holds: the end of its cell, or the
   * address before the next start of its bucket.
   */
  lastAlike(address: number): number {
    const { cells } = this;
    let cell = cells[address >>> (32 - ROOT_BITS)]!;
    let depth = ROOT_BITS;
    while (cell >= NODE && depth < 32) {
      const stride = ((cell >>> 26) & 15) + 1;
      cell = cells[4 * (cell & 0x3ff_ffff) + ((address << depth) >>> (32 - stride))]!;
      depth += stride;
    }
    const inside = depth < 32 ? 0xffff_ffff >>> depth : 0;
    if (cell < BUCKET) return (address | inside) >>> 0;
    const next = nextStart(cells, cell, (address << depth) >>> 0);
    return next === undefined ? (address | inside) >>> 0 : (((address & ~inside) | (next >>> depth)) >>> 0) - 1;
  }

  /**
   * Writes the record numbers of the addresses in [from, to) from index 0 on. It first reads the memory of
   * all lookups step by step, so that the reads overlap.
   */
  findAll(addresses: Uint32Array, from: number, to: number, into: Uint32Array): void {
    this.#touched ^= this.#touch(addresses, from, to, into);
    for (let i = from; i < to; i++) into[i - from] = this.find(addresses[i]!);
  }

  /**
   * No branch depends on a value read: a wrong guess would end the overlap.
   * @returns a checksum, so that the optimiser keeps the reads
   */
  #touch(addresses: Uint32Array, from: number, to: number, scratch: Uint32Array): number {
    const { cells } = this;
    for (let i = from; i < to; i++) {
      const address = addresses[i]!;
      const cell = cells[address >>> (32 - ROOT_BITS)]! | 0;
      const child = 4 * (cell & 0x3ff_ffff) + ((address << ROOT_BITS) >>> (31 - ((cell >>> 26) & 15)));
      scratch[i - from] = cells[(child & nodeMask(cell)) | (cell & 0xfff_ffff & bucketMask(cell))]!;
    }
    let sum = 0;
    for (let i = 0; i < to - from; i++) {
      const cell = scratch[i]! | 0;
      sum ^= cells[cell & 0xfff_ffff & bucketMask(cell)]!;
    }
    return sum;
  }

  ranges(): RangeSet4 {
    const starts: number[] = [];
    const ids: number[] = [];
    walkCells(this.cells, 32, (w0, _, id) => {
      if (ids.length > 0 && ids[ids.length - 1] === id) return;
      starts.push(w0);
      ids.push(id);
    });
    return { family: 4, count: ids.length, starts: Uint32Array.from(starts), ids: Uint32Array.from(ids) };
  }

  /** Checks the sizes that lookups rely on; cheap enough for every opening. */
  sizeFaults(): readonly string[] {
    return this.cells.length < 2 ** ROOT_BITS ? [`the table has ${this.cells.length} cells`] : [];
  }

  /**
   * Checks layout, order of starts, and numbers; stops after a few faults. @param faultOf fault of a number;
   * undefined for a sound one
   */
  faults(faultOf: (id: number) => string | undefined): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const layout = walkCells(this.cells, 32, (w0, _, id) => {
      const fault = faultOf(id);
      if (fault !== undefined && faults.length < 5) faults.push(`the range at ${w0} names ${fault}`);
    });
    return layout === undefined ? faults : [...faults, layout];
  }
}
