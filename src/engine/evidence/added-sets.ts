import type { SectionInput } from '../image.ts';
import type { RangeSet } from '../ranges/range-set.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { ROW_WORDS } from './evidence-row.ts';
import type { PrefixRows } from './prefix-rows.ts';
import { RowSets } from './row-sets.ts';

/** Row sets of the image under their numbers, new ones behind them. */
export class AddedSets {
  readonly #image: EvidenceImage;
  readonly #added: RowSets;
  /** Sets of the image, without the empty one. */
  readonly #known: number;

  constructor(image: EvidenceImage) {
    this.#image = image;
    this.#added = new RowSets(image.seed);
    this.#known = image.setOffsets.length - 2;
  }

  /** @param rows at least two */
  intern(rows: number[]): number {
    return this.#known + this.#added.intern(rows);
  }

  /** Rows of a set of the image, behind what `into` holds. */
  copyTo(set: number, into: number[]): void {
    const { setOffsets, setRows } = this.#image;
    for (let at = ROW_WORDS * setOffsets[set]!; at < ROW_WORDS * setOffsets[set + 1]!; at++) into.push(setRows[at]!);
  }

  /** Compiles prefixes; the numbers in their ranges are those of `sections`. */
  flatten(rows: PrefixRows): RangeSet {
    const ranges = rows.flatten(this.#added);
    return { ...ranges, ids: ranges.ids.map((id) => (id === 0 ? 0 : this.#known + id)) };
  }

  sections(): readonly SectionInput[] {
    const { setOffsets, setRows } = this.#image;
    const [offsets, rows] = this.#added.sections().map(({ data }) => data as Uint32Array) as [Uint32Array, Uint32Array];
    const allOffsets = new Uint32Array(setOffsets.length + offsets.length - 2);
    allOffsets.set(setOffsets);
    const end = setOffsets[setOffsets.length - 1]!;
    for (let set = 2; set < offsets.length; set++) allOffsets[setOffsets.length + set - 2] = end + offsets[set]!;
    const allRows = new Uint32Array(setRows.length + rows.length);
    allRows.set(setRows);
    allRows.set(rows, setRows.length);
    return [
      { id: 'SETO', data: allOffsets },
      { id: 'SETR', data: allRows },
    ];
  }
}
