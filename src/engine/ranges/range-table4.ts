import type { Image, SectionInput } from '../image.ts';
import { BUCKET, encodeCells, NODE, nextStart, ROOT_BITS, walkCells } from './range-cells.ts';
import type { RangeSet4 } from './range-set.ts';

/** IPv4 ranges: one tree of cells (range-cells.ts), section 4C. */
export function encodeRanges4(name: string, { count, starts, ids }: RangeSet4): readonly SectionInput[] {
  return [{ id: `${name}4C`, data: encodeCells({ count, w0: starts, w1: undefined, cells: ids }) }];
}

/** All ones for a cell that is a node, as a signed number; else 0. */
const nodeMask = (cell: number): number => cell >> 31;
/** All ones for a cell that is a bucket; else 0. */
const bucketMask = (cell: number): number => ((cell << 1) >> 31) & ~(cell >> 31);

export class RangeTable4 {
  readonly cells: Uint32Array;
  /** Result of `#touch`. */
  #touched = 0;

  /** @param name two characters that begin the section's id */
  constructor(image: Image, name: string) {
    this.cells = image.words32(`${name}4C`);
  }

  /** Record number at an address given as an unsigned 32-bit number. */
  find(address: number): number {
    const { cells } = this;
    let cell = cells[address >>> (32 - ROOT_BITS)]!;
    if (cell < BUCKET) return cell;
    let depth = ROOT_BITS;
    // No sound table has nodes deeper than the address; the bound ends look-ups in a damaged one.
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

  /** Last address up to which the number at `address` holds for certain: the end of its cell, or the address before the next start of its bucket. */
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
   * Record numbers of many addresses: those in [from, to), that of `from` at 0. Before it looks up one after another, it reads the memory of these look-ups,
   * a step of all of them before the next step of any, so that the memory brings it all at the same time.
   */
  findAll(addresses: Uint32Array, from: number, to: number, into: Uint32Array): void {
    this.#touched ^= this.#touch(addresses, from, to, into);
    for (let i = from; i < to; i++) into[i - from] = this.find(addresses[i]!);
  }

  /**
   * There is no branch that depends on a read value: one that is guessed wrong would end the overlap.
   * @returns a sum of no meaning, which keeps the reads from being left out
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

  /** Back to a partition; neighbours of equal number are one range. */
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

  /** Sizes that look-ups rely on; cheap enough for every opening. */
  sizeFaults(): readonly string[] {
    return this.cells.length < 2 ** ROOT_BITS ? [`the table has ${this.cells.length} cells`] : [];
  }

  /** Everything else: the layout, the order of the starts, and the numbers. Stops after a few faults. @param faultOf of a number; undefined: it is sound */
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
