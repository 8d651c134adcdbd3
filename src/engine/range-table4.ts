import type { Image, SectionInput } from './image.ts';
import type { RangeSet4 } from './ranges.ts';

/**
 * IPv4 ranges: a direct index on the first 16 bits, then a binary search among the low 16 bits of the starts in that /16.
 *
 *   index[65537]  index[h] = number of ranges whose start is below h·2^16
 *   keys[count]   low 16 bits of each start
 *   ids[count]    record number of each range
 *
 * An address below the first start of its /16 belongs to the last range of an earlier one, which is simply the entry before. 6 bytes a range keep
 * the whole world inside the last-level cache, which is worth more than fewer steps (measured: bench/lookup.ts).
 */
export function encodeRanges4(name: string, set: RangeSet4): readonly SectionInput[] {
  const { count, starts, ids } = set;
  const index = new Uint32Array(65_537);
  const keys = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const start = starts[i]!;
    keys[i] = start & 0xffff;
    index[(start >>> 16) + 1]! += 1;
  }
  for (let h = 0; h < 65_536; h++) index[h + 1]! += index[h]!;
  return [
    { id: `${name}4X`, data: index },
    { id: `${name}4K`, data: keys },
    { id: `${name}4I`, data: ids.subarray(0, count) },
  ];
}

export class RangeTable4 {
  readonly index: Uint32Array;
  readonly keys: Uint16Array;
  readonly ids: Uint32Array;

  /** @param name two characters that begin the sections' ids */
  constructor(image: Image, name: string) {
    this.index = image.words32(`${name}4X`);
    this.keys = image.words16(`${name}4K`);
    this.ids = image.words32(`${name}4I`);
  }

  get count(): number {
    return this.ids.length;
  }

  /** Record number at an address given as an unsigned 32-bit number. */
  find(address: number): number {
    const high = address >>> 16;
    const low = address & 0xffff;
    const { index, keys } = this;
    let from = index[high]!;
    let to = index[high + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (keys[middle]! <= low) from = middle + 1;
      else to = middle;
    }
    return this.ids[from - 1]!;
  }

  /** Back to the partition that was compiled. */
  ranges(): RangeSet4 {
    const starts = new Uint32Array(this.count);
    for (let high = 0; high < 65_536; high++) {
      for (let i = this.index[high]!; i < this.index[high + 1]!; i++) starts[i] = ((high << 16) | this.keys[i]!) >>> 0;
    }
    return { family: 4, count: this.count, starts, ids: this.ids };
  }

  /** Sizes that look-ups rely on; cheap enough for every opening. */
  sizeFaults(): readonly string[] {
    const { index, keys, ids } = this;
    if (index.length !== 65_537) return [`the index has ${index.length} entries`];
    if (keys.length !== ids.length || ids.length === 0) return [`${keys.length} keys and ${ids.length} ids`];
    return index[0] !== 0 || index[65_536] !== ids.length ? ['the index does not end at the last range'] : [];
  }

  /** Everything else: order of the starts, and ids below `records`. Stops after a few faults. */
  faults(records: number): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const { index, keys, ids } = this;
    if (index[1] === 0 || keys[0] !== 0) faults.push('the first range does not start at 0.0.0.0');
    for (let high = 0; high < 65_536; high++) if (index[high]! > index[high + 1]!) return [...faults, `the index falls at ${high}`];
    for (let high = 0; high < 65_536 && faults.length < 5; high++) {
      for (let i = index[high]! + 1; i < index[high + 1]!; i++) if (keys[i - 1]! >= keys[i]!) faults.push(`range ${i} does not start after the one before`);
    }
    for (let i = 0; i < ids.length && faults.length < 5; i++) if (ids[i]! >= records) faults.push(`range ${i} names record ${ids[i]} of ${records}`);
    return faults;
  }
}
