import type { Image, SectionInput } from '../image.ts';
import { BUCKET, encodeCells, NODE, nextStart, ROOT_BITS, walkCells } from './range-cells.ts';
import type { RangeSet4 } from './range-set.ts';

/** IPv4 ranges: one tree of cells (range-cells.ts), section 4C. */
export function encodeRanges4(name: string, { count, starts, ids }: RangeSet4): readonly SectionInput[] {
  return [{ id: `${name}4C`, data: encodeCells({ count, w0: starts, w1: undefined, cells: ids }) }];
}

export class RangeTable4 {
  readonly cells: Uint32Array;

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

  /** Last address up to which the number at `address` holds for certain: the end of its cell, or what lies before the next start of its bucket. */
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

  /** Everything else: the layout, the order of the starts, and numbers below `records`. Stops after a few faults. */
  faults(records: number): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const layout = walkCells(this.cells, 32, (w0, _, id) => {
      if (id >= records && faults.length < 5) faults.push(`the range at ${w0} names record ${id} of ${records}`);
    });
    return layout === undefined ? faults : [...faults, layout];
  }
}
