import type { Image, SectionInput } from './image.ts';
import type { RangeSet6 } from './ranges.ts';

/**
 * IPv6 ranges in three steps, because addresses crowd in few /32s and hardly any range is finer than a /64.
 *
 *   index[65537]    by the first 16 bits: positions in `groups`
 *   groups[g]       the different first words (a /32 each) in which a range starts, ascending
 *   firsts[g+1]     where the entries of a group begin
 *   keys[n]         second word of each entry's start, ascending in a group
 *   ids[n]          record number, or DEEP | d where ranges start inside this /64
 *
 *   deepFirsts[d+1] entries of the d-th such /64 (its first entry starts at the /64 itself)
 *   deepKeys[2m]    third and fourth word of the start
 *   deepIds[m]      record number
 *
 * Where a range begins inside a /64 and goes on past it, the next /64 gets an entry of its own, so that every /64 can be read alone.
 */
const DEEP = 0x8000_0000;

export function encodeRanges6(name: string, set: RangeSet6): readonly SectionInput[] {
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
  return out.sections(name);
}

/** Arrays that grow while the ranges are walked. */
class Encoder {
  readonly #groups: number[] = [];
  readonly #firsts: number[] = [];
  #keys: Uint32Array;
  #ids: Uint32Array;
  #count = 0;
  #w0 = -1;
  #w1 = -1;
  readonly #deepFirsts: number[] = [0];
  readonly #deepKeys: number[] = [];
  readonly #deepIds: number[] = [];

  constructor(expected: number) {
    this.#keys = new Uint32Array(expected + 16);
    this.#ids = new Uint32Array(expected + 16);
  }

  isLast(w0: number, w1: number): boolean {
    return this.#w0 === w0 && this.#w1 === w1;
  }

  lastId(): number {
    return this.#ids[this.#count - 1]!;
  }

  push(w0: number, w1: number, id: number): void {
    if (this.#count === this.#keys.length) {
      const keys = new Uint32Array(2 * this.#count);
      keys.set(this.#keys);
      this.#keys = keys;
      const ids = new Uint32Array(2 * this.#count);
      ids.set(this.#ids);
      this.#ids = ids;
    }
    if (w0 !== this.#w0) {
      this.#groups.push(w0);
      this.#firsts.push(this.#count);
    }
    this.#keys[this.#count] = w1;
    this.#ids[this.#count++] = id;
    this.#w0 = w0;
    this.#w1 = w1;
  }

  endDeep(entries: readonly number[]): void {
    this.#ids[this.#count - 1] = (DEEP | (this.#deepFirsts.length - 1)) >>> 0;
    for (let i = 0; i < entries.length; i += 3) {
      this.#deepKeys.push(entries[i]!, entries[i + 1]!);
      this.#deepIds.push(entries[i + 2]!);
    }
    this.#deepFirsts.push(this.#deepIds.length);
  }

  /** Begins the /64 after the last one with `id`, unless it is (w0, w1) and a range starts exactly there. */
  continueAfter(id: number, w0 = -1, w1 = -1, startsThere = false): void {
    const wraps = this.#w1 === 0xffff_ffff;
    if (wraps && this.#w0 === 0xffff_ffff) return;
    const next0 = wraps ? this.#w0 + 1 : this.#w0;
    const next1 = wraps ? 0 : this.#w1 + 1;
    if (startsThere && next0 === w0 && next1 === w1) return;
    this.push(next0, next1, id);
  }

  sections(name: string): readonly SectionInput[] {
    const index = new Uint32Array(65_537);
    for (const group of this.#groups) index[(group >>> 16) + 1]! += 1;
    for (let h = 0; h < 65_536; h++) index[h + 1]! += index[h]!;
    return [
      { id: `${name}6X`, data: index },
      { id: `${name}6G`, data: Uint32Array.from(this.#groups) },
      { id: `${name}6F`, data: Uint32Array.from([...this.#firsts, this.#count]) },
      { id: `${name}6K`, data: this.#keys.subarray(0, this.#count) },
      { id: `${name}6I`, data: this.#ids.subarray(0, this.#count) },
      { id: `${name}6D`, data: Uint32Array.from(this.#deepFirsts) },
      { id: `${name}6L`, data: Uint32Array.from(this.#deepKeys) },
      { id: `${name}6J`, data: Uint32Array.from(this.#deepIds) },
    ];
  }
}

/** The sections one table takes, for copying them to another image. */
export const RANGE_SECTIONS = ['4X', '4K', '4I', '6X', '6G', '6F', '6K', '6I', '6D', '6L', '6J'] as const;

export class RangeTable6 {
  readonly index: Uint32Array;
  readonly groups: Uint32Array;
  readonly firsts: Uint32Array;
  readonly keys: Uint32Array;
  readonly ids: Uint32Array;
  readonly deepFirsts: Uint32Array;
  readonly deepKeys: Uint32Array;
  readonly deepIds: Uint32Array;

  constructor(image: Image, name: string) {
    this.index = image.words32(`${name}6X`);
    this.groups = image.words32(`${name}6G`);
    this.firsts = image.words32(`${name}6F`);
    this.keys = image.words32(`${name}6K`);
    this.ids = image.words32(`${name}6I`);
    this.deepFirsts = image.words32(`${name}6D`);
    this.deepKeys = image.words32(`${name}6L`);
    this.deepIds = image.words32(`${name}6J`);
  }

  /** Entries of the main table and of the deep ones. */
  get count(): number {
    return this.ids.length + this.deepIds.length;
  }

  /** Record number at an address of four unsigned words. */
  find(w0: number, w1: number, w2: number, w3: number): number {
    const { groups, keys } = this;
    const high = w0 >>> 16;
    let from = this.index[high]!;
    let to = this.index[high + 1]!;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (groups[middle]! <= w0) from = middle + 1;
      else to = middle;
    }
    // `from` is now past the last group that does not lie after w0; there always is one, since the space starts with a range.
    const group = from - 1;
    const last = this.firsts[from]!;
    if (groups[group] !== w0) return this.#resolve(last - 1, w1, w2, w3, false);
    from = this.firsts[group]!;
    to = last;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (keys[middle]! <= w1) from = middle + 1;
      else to = middle;
    }
    return this.#resolve(from - 1, w1, w2, w3, from > this.firsts[group]!);
  }

  /** @param sameGroup the entry starts in the /32 of the address, so its key can be compared with w1 */
  #resolve(entry: number, w1: number, w2: number, w3: number, sameGroup: boolean): number {
    const id = this.ids[entry]!;
    if (id < DEEP) return id;
    const deep = id & 0x7fff_ffff;
    // Past its /64 a deep entry would be wrong, but then the next /64 has an entry of its own; only the end of the space can lie here.
    if (!sameGroup || this.keys[entry] !== w1) return this.deepIds[this.deepFirsts[deep + 1]! - 1]!;
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

  /** Back to a partition; neighbours of equal id that the encoding made are merged again. */
  ranges(): RangeSet6 {
    const starts: number[] = [];
    const ids: number[] = [];
    const push = (w0: number, w1: number, w2: number, w3: number, id: number): void => {
      if (ids.length > 0 && ids[ids.length - 1] === id) return;
      starts.push(w0, w1, w2, w3);
      ids.push(id);
    };
    for (let group = 0; group < this.groups.length; group++) {
      for (let i = this.firsts[group]!; i < this.firsts[group + 1]!; i++) {
        const id = this.ids[i]!;
        if (id < DEEP) push(this.groups[group]!, this.keys[i]!, 0, 0, id);
        else {
          const deep = id & 0x7fff_ffff;
          for (let j = this.deepFirsts[deep]!; j < this.deepFirsts[deep + 1]!; j++)
            push(this.groups[group]!, this.keys[i]!, this.deepKeys[2 * j]!, this.deepKeys[2 * j + 1]!, this.deepIds[j]!);
        }
      }
    }
    return { family: 6, count: ids.length, starts: Uint32Array.from(starts), ids: Uint32Array.from(ids) };
  }

  sizeFaults(): readonly string[] {
    const { index, groups, firsts, keys, ids, deepFirsts, deepKeys, deepIds } = this;
    if (index.length !== 65_537) return [`the index has ${index.length} entries`];
    if (index[0] !== 0 || index[65_536] !== groups.length || groups.length === 0) return ['the index does not end at the last group'];
    if (firsts.length !== groups.length + 1 || firsts[0] !== 0 || firsts[groups.length] !== ids.length) return ['the groups do not end at the last entry'];
    if (keys.length !== ids.length) return [`${keys.length} keys and ${ids.length} ids`];
    if (deepFirsts.length === 0 || deepFirsts[0] !== 0 || deepFirsts[deepFirsts.length - 1] !== deepIds.length || deepKeys.length !== 2 * deepIds.length)
      return ['the deep tables differ in size'];
    return [];
  }

  faults(records: number): readonly string[] {
    const faults = [...this.sizeFaults()];
    if (faults.length > 0) return faults;
    const { index, groups, firsts, keys } = this;
    if (groups[0] !== 0 || keys[0] !== 0) faults.push('the first range does not start at ::');
    for (let high = 0; high < 65_536 && faults.length < 5; high++) {
      if (index[high]! > index[high + 1]!) return [...faults, `the index falls at ${high}`];
      for (let g = index[high]!; g < index[high + 1]!; g++) if (groups[g]! >>> 16 !== high) faults.push(`group ${g} is indexed under ${high}`);
    }
    for (let g = 0; g < groups.length && faults.length < 5; g++) {
      if (g > 0 && groups[g - 1]! >= groups[g]!) faults.push(`group ${g} does not come after the one before`);
      if (firsts[g]! >= firsts[g + 1]!) return [...faults, `group ${g} is empty`];
      for (let i = firsts[g]! + 1; i < firsts[g + 1]!; i++) if (keys[i - 1]! >= keys[i]!) faults.push(`entry ${i} does not start after the one before`);
    }
    return faults.length > 0 ? faults : this.#idFaults(records);
  }

  #idFaults(records: number): readonly string[] {
    const { ids, deepFirsts, deepKeys, deepIds } = this;
    const faults: string[] = [];
    let deep = 0;
    for (let i = 0; i < ids.length && faults.length < 5; i++) {
      const id = ids[i]!;
      if (id < DEEP && id >= records) faults.push(`entry ${i} names record ${id} of ${records}`);
      if (id >= DEEP && (id & 0x7fff_ffff) !== deep++) faults.push(`entry ${i} names a wrong deep table`);
    }
    if (deep !== deepFirsts.length - 1) faults.push(`${deepFirsts.length - 1} deep tables, ${deep} entries that name one`);
    for (let d = 0; d + 1 < deepFirsts.length && faults.length < 5; d++) {
      const first = deepFirsts[d]!;
      if (first >= deepFirsts[d + 1]! || deepKeys[2 * first] !== 0 || deepKeys[2 * first + 1] !== 0)
        return [...faults, `deep table ${d} does not start at its /64`];
      for (let j = first + 1; j < deepFirsts[d + 1]!; j++) {
        const order = deepKeys[2 * j - 2]! - deepKeys[2 * j]! || deepKeys[2 * j - 1]! - deepKeys[2 * j + 1]!;
        if (order >= 0) faults.push(`deep entry ${j} does not start after the one before`);
      }
    }
    for (let j = 0; j < deepIds.length && faults.length < 5; j++)
      if (deepIds[j]! >= records) faults.push(`deep entry ${j} names record ${deepIds[j]} of ${records}`);
    return faults;
  }
}
