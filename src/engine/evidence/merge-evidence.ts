import { uniteDays } from '../../core/evidence/unite-captures.ts';
import type { UnixMs } from '../../core/units.ts';
import { buildImage, jsonSection, type SectionInput } from '../image.ts';
import type { RangeSet4, RangeSet6 } from '../ranges/range-set.ts';
import { encodeRanges4 } from '../ranges/range-table4.ts';
import { encodeRanges6 } from '../ranges/range-table6.ts';
import { PREFIXES } from './evidence-builder.ts';
import { type EvidenceDelta, type EvidenceMeta, type LiveSource, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, daysOf, PROFILE_WORDS, packProfile, packProfile2, ROW_WORDS, word1Of } from './evidence-row.ts';
import { doubled } from './evidence-row-buffer.ts';
import { mergeHosts } from './merge-hosts.ts';
import { PrefixRows } from './prefix-rows.ts';
import { eachPrefixRow, prefixText } from './prefixes-of-ranges.ts';
import { RowSets } from './row-sets.ts';

/**
 * An image brought up to a newer state in one pass over its bytes, without asking the store: what the image says, and then the changes in their order.
 * It says what compiling everything anew would say. Rows that nothing names any more leave their profiles and row sets behind, so compile anew now and then.
 */
export function mergeEvidence(image: EvidenceImage, changes: EvidenceDelta, builtAt: UnixMs): { bytes: Uint8Array<ArrayBuffer>; meta: EvidenceMeta } {
  const names = new Names(image, changes);
  const ops = new RowChanges(image, changes, names);
  const sets = new AddedSets(image);
  const hosts = [...mergeHosts(image.hosts4, changes, ops, sets), ...mergeHosts(image.hosts6, changes, ops, sets)];
  const prefixes = [...mergePrefixes(image, changes, ops, sets, 4), ...mergePrefixes(image, changes, ops, sets, 6)];
  const { dataVersion, store, sequence, mark } = changes;
  const meta = { dataVersion, builtAt, store, sequence, mark };
  const bytes = buildImage('evidence', [
    jsonSection('META', { ...meta, sources: names.sources, pools: names.pools }),
    { id: 'PROF', data: ops.profiles() },
    ...prefixes,
    ...sets.sections(),
    ...hosts,
  ]);
  return { bytes, meta };
}

/** Sources and pools of the image keep their numbers; new ones come behind them. */
class Names {
  readonly sources: LiveSource[];
  readonly pools: string[];
  /** Number in the changes → number in the image. */
  readonly sourceOf: Uint16Array;
  readonly poolOf: Uint16Array;

  constructor(image: EvidenceImage, { sources, pools }: EvidenceDelta) {
    this.sources = [...image.sources];
    this.pools = [...image.pools];
    const numbers = new Map(image.sources.map(({ id }, number) => [id, number]));
    this.sourceOf = Uint16Array.from(sources, (source) => {
      const number = numbers.get(source.id) ?? this.sources.length;
      this.sources[number] = source;
      return number;
    });
    this.poolOf = Uint16Array.from(pools, (pool) => {
      const known = this.pools.indexOf(pool);
      return known >= 0 ? known : this.pools.push(pool) - 1;
    });
    if (this.sources.length > 0xffff || this.pools.length > 0x1_0000) throw new RangeError('more than 65,535 evidence sources or pools');
  }
}

/** Words that `RowChanges.write` takes. */
export const CHANGE_WORDS = 5;

/** What each row of the changes does to the rows of its prefix. */
export class RowChanges {
  readonly #changes: EvidenceDelta;
  readonly #names: Names;
  #profiles: Uint32Array;
  #count: number;
  readonly #numbers = new Map<number, number>();
  #lastKey = -1;
  #lastNumber = 0;

  constructor(image: EvidenceImage, changes: EvidenceDelta, names: Names) {
    this.#changes = changes;
    this.#names = names;
    this.#count = image.profiles.length / PROFILE_WORDS;
    this.#profiles = new Uint32Array(Math.max(2 * image.profiles.length, 64));
    this.#profiles.set(image.profiles);
    for (let i = 0; i < this.#count; i++) this.#numbers.set(this.#profiles[PROFILE_WORDS * i]! * 0x2_0000 + this.#profiles[PROFILE_WORDS * i + 1]!, i);
  }

  profiles(): Uint32Array {
    return this.#profiles.subarray(0, PROFILE_WORDS * this.#count);
  }

  /** Writes what change `i` does to CHANGE_WORDS words: its row, what it is, and the profile of the spell it ends. `clear` has its source for a profile. */
  write(i: number, into: Uint32Array, at: number): void {
    const { op, source, capturedAt, days } = this.#changes;
    const kind = op[i]!;
    const time = capturedAt[i]!;
    into[at + 3] = kind;
    if (kind === ROW_OP.clear) {
      into[at + 2] = this.#names.sourceOf[source[i]!]!;
      return;
    }
    into[at] = time % 0x1_0000_0000;
    into[at + 1] = word1Of(time, kind === ROW_OP.following ? 0 : days[i]!);
    into[at + 2] = this.#profile(i, kind === ROW_OP.following);
    if (kind === ROW_OP.ended) into[at + 4] = this.#profile(i, true);
  }

  /**
   * Applies a change that `write` wrote.
   * @param rows all rows of the change's prefix, ROW_WORDS each; changed in place
   */
  apply(change: Uint32Array, at: number, rows: number[]): void {
    const kind = change[at + 3]!;
    if (kind === ROW_OP.clear) this.#clear(rows, change[at + 2]!);
    else if (kind === ROW_OP.following) follow(rows, change, at);
    else {
      if (kind === ROW_OP.ended) dropProfile(rows, change[at + 4]!);
      unite(rows, change, at);
    }
  }

  #clear(rows: number[], source: number): void {
    let kept = 0;
    for (let at = 0; at < rows.length; at += ROW_WORDS) {
      if ((this.#profiles[PROFILE_WORDS * rows[at + 2]!]! & 0xffff) === source) continue;
      for (let w = 0; w < ROW_WORDS; w++) rows[kept++] = rows[at + w]!;
    }
    rows.length = kept;
  }

  #profile(i: number, following: boolean): number {
    const { source, pool, type, bits } = this.#changes;
    const first = packProfile(this.#names.sourceOf[source[i]!]!, this.#names.poolOf[pool[i]!]!);
    const second = packProfile2(type[i]!, bits[i]!, following);
    const key = first * 0x2_0000 + second;
    if (key === this.#lastKey) return this.#lastNumber;
    const number = this.#numbers.get(key) ?? this.#append(first, second, key);
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  #append(first: number, second: number, key: number): number {
    const number = this.#count++;
    if (PROFILE_WORDS * this.#count > this.#profiles.length) this.#profiles = doubled(this.#profiles, Uint32Array);
    this.#profiles[PROFILE_WORDS * number] = first;
    this.#profiles[PROFILE_WORDS * number + 1] = second;
    this.#numbers.set(key, number);
    return number;
  }
}

const placeOf = (rows: readonly number[], profile: number): number => {
  for (let at = 0; at < rows.length; at += ROW_WORDS) if (rows[at + 2] === profile) return at;
  return -1;
};

/** An open spell; one that is known keeps its earlier beginning. */
function follow(rows: number[], change: Uint32Array, from: number): void {
  const at = placeOf(rows, change[from + 2]!);
  if (at >= 0 && capturedAtOf(rows[at]!, rows[at + 1]!) <= capturedAtOf(change[from]!, change[from + 1]!)) return;
  copyRow(change, from, rows, at < 0 ? rows.length : at);
}

/** Two captures of one kind unite. */
function unite(rows: number[], change: Uint32Array, from: number): void {
  const at = placeOf(rows, change[from + 2]!);
  if (at < 0) {
    copyRow(change, from, rows, rows.length);
    return;
  }
  const before = capturedAtOf(rows[at]!, rows[at + 1]!);
  const capturedAt = capturedAtOf(change[from]!, change[from + 1]!);
  const newest = Math.max(before, capturedAt);
  const days = uniteDays(before, daysOf(rows[at + 1]!), capturedAt, daysOf(change[from + 1]!));
  rows[at] = newest % 0x1_0000_0000;
  rows[at + 1] = word1Of(newest, days);
}

function copyRow(change: Uint32Array, from: number, rows: number[], at: number): void {
  for (let w = 0; w < ROW_WORDS; w++) rows[at + w] = change[from + w]!;
}

function dropProfile(rows: number[], profile: number): void {
  for (let at = placeOf(rows, profile); at >= 0; at = placeOf(rows, profile)) rows.splice(at, ROW_WORDS);
}

/** Row sets of the image under their numbers, new ones behind them. */
export class AddedSets {
  readonly #image: EvidenceImage;
  readonly #added = new RowSets();
  /** Sets of the image, without the empty one. */
  readonly #known: number;

  constructor(image: EvidenceImage) {
    this.#image = image;
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
  flatten(rows: PrefixRows): RangeSet4 | RangeSet6 {
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

/** Ranges of prefixes: as they are when no prefix changed, else taken apart into the rows they were made of and put together again. */
function mergePrefixes(image: EvidenceImage, changes: EvidenceDelta, ops: RowChanges, sets: AddedSets, family: 4 | 6): readonly SectionInput[] {
  const changed: number[] = [];
  const longest = family === 4 ? 32 : 128;
  for (let i = 0; i < changes.length; i++) if (changes.family[i] === family && changes.bits[i]! < longest) changed.push(i);
  if (changed.length === 0) return sectionsOf(image, `${PREFIXES}${family}`);
  const prefixes = new Map<string, { readonly at: readonly number[]; readonly rows: number[] }>();
  const rowsOf = (w0: number, w1: number, w2: number, w3: number, bits: number): number[] => {
    const text = prefixText(w0, w1, w2, w3, bits);
    const known = prefixes.get(text);
    if (known !== undefined) return known.rows;
    const rows: number[] = [];
    prefixes.set(text, { at: [w0, w1, w2, w3, bits], rows });
    return rows;
  };
  eachPrefixRow(image, family, (w0, w1, w2, w3, bits, row) => {
    const rows = rowsOf(w0, w1, w2, w3, bits);
    for (let w = 0; w < ROW_WORDS; w++) rows.push(image.setRows[row + w]!);
  });
  const { words } = changes;
  const change = new Uint32Array(CHANGE_WORDS);
  for (const i of changed) {
    ops.write(i, change, 0);
    ops.apply(change, 0, rowsOf(words[4 * i]!, words[4 * i + 1]!, words[4 * i + 2]!, words[4 * i + 3]!, changes.bits[i]!));
  }
  const pending = new PrefixRows(family);
  for (const { at, rows } of prefixes.values()) {
    for (let row = 0; row < rows.length; row += ROW_WORDS) pending.add(at[0]!, at[1]!, at[2]!, at[3]!, at[4]!, rows[row]!, rows[row + 1]!, rows[row + 2]!);
  }
  const ranges = sets.flatten(pending);
  return ranges.family === 4 ? encodeRanges4(PREFIXES, ranges) : encodeRanges6(PREFIXES, ranges);
}

function sectionsOf({ image }: EvidenceImage, start: string): readonly SectionInput[] {
  return image.entries.filter(({ id }) => id.startsWith(start)).map(({ id }) => ({ id, data: image.bytes(id) }));
}
