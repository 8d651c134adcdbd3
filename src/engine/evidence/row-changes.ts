import { uniteDays } from '../../core/evidence/unite-captures.ts';
import { type EvidenceDelta, ROW_OP } from './evidence-delta.ts';
import type { EvidenceImage } from './evidence-image.ts';
import { capturedAtOf, daysOf, ROW_WORDS, word1Of } from './evidence-row.ts';
import type { MergedNames } from './merged-names.ts';
import { RowKeys } from './row-keys.ts';

/** Words that `RowChanges.write` takes. */
export const CHANGE_WORDS = 5;

/** What each row of the changes does to the rows of its prefix. */
export class RowChanges {
  readonly #changes: EvidenceDelta;
  readonly #names: MergedNames;
  readonly #rowKeys: RowKeys;

  constructor(image: EvidenceImage, changes: EvidenceDelta, names: MergedNames) {
    this.#changes = changes;
    this.#names = names;
    this.#rowKeys = new RowKeys(image.rowKeys);
  }

  rowKeys(): Uint32Array {
    return this.#rowKeys.words();
  }

  /** Whether the image has room for change `i`; call once for each change. */
  takes(i: number): boolean {
    return this.#names.takes(
      this.#changes.source[i]!,
      this.#changes.op[i] === ROW_OP.clear ? 0 : this.#changes.pool[i]!,
    );
  }

  /** Writes what change `i` does to CHANGE_WORDS words: its row, what it is, and the row key of the presence interval it ends. `clear` has its source for a row key. */
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
    into[at + 2] = this.#rowKey(i, kind === ROW_OP.following);
    if (kind === ROW_OP.ended) into[at + 4] = this.#rowKey(i, true);
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
      if (kind === ROW_OP.ended) dropRowKey(rows, change[at + 4]!);
      unite(rows, change, at);
    }
  }

  #clear(rows: number[], source: number): void {
    let kept = 0;
    for (let at = 0; at < rows.length; at += ROW_WORDS) {
      if (this.#rowKeys.sourceOf(rows[at + 2]!) === source) continue;
      for (let w = 0; w < ROW_WORDS; w++) rows[kept++] = rows[at + w]!;
    }
    rows.length = kept;
  }

  #rowKey(i: number, following: boolean): number {
    const { source, pool, type, bits } = this.#changes;
    const { sourceOf, poolOf } = this.#names;
    return this.#rowKeys.number(sourceOf[source[i]!]!, type[i]!, poolOf[pool[i]!]!, bits[i]!, following);
  }
}

const placeOf = (rows: readonly number[], rowKey: number): number => {
  for (let at = 0; at < rows.length; at += ROW_WORDS) if (rows[at + 2] === rowKey) return at;
  return -1;
};

/** An open presence interval; one that is known keeps its earlier beginning. */
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

function dropRowKey(rows: number[], rowKey: number): void {
  for (let at = placeOf(rows, rowKey); at >= 0; at = placeOf(rows, rowKey)) rows.splice(at, ROW_WORDS);
}
