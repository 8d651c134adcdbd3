import { RISK_TYPES } from '../../../contract/risk.ts';
import type { UnixMs } from '../../../core/units.ts';
import { type EvidenceColumns, ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../../../engine/evidence/evidence-row.ts';
import { EvidenceRowBuffer } from '../../../engine/evidence/evidence-row-buffer.ts';
import { compareKeys, type PrefixKey } from '../prefix-key.ts';
import { appendKey } from '../write/journal.ts';
import type { Catalogue, Series } from './catalogue.ts';
import { SeriesFold } from './series-fold.ts';

const CHUNK_ROWS = 65_536;

export type ScanRecord = readonly [prefix: PrefixKey, track: number, at: number, lastAt?: number | null];

export interface ScanCursor {
  readonly kind: number;
  /** An empty page is the end. */
  page: readonly ScanRecord[];
  at: number;
}

/**
 * Yields all rows of all prefixes in key order, in one merging pass over the large tables. Chunks reuse their
 * memory. The rows equal those of `PrefixRecords.liveRows` for all sources. `source` and `pool` are numbers
 * in `names`; pools of series without rows are not in it.
 * @param cursors each with its first page
 * @param at an instant of the past: the rows are then those of `PrefixRecords.observations`, all fixed
 * @yields a chunk, or a cursor that needs its next page before the iteration continues
 */
export function* scanColumns<C extends ScanCursor>(
  cursors: readonly C[],
  catalogue: Catalogue,
  names: RowNames,
  at?: UnixMs,
): Generator<EvidenceColumns | C, void> {
  const until = at ?? Number.MAX_SAFE_INTEGER;
  const buffer = new EvidenceRowBuffer(CHUNK_ROWS);
  const fold = new SeriesFold();
  let [key, track]: [PrefixKey | undefined, number] = [undefined, -1];
  for (;;) {
    let next: C | undefined;
    let record: ScanRecord | undefined;
    for (let i = 0; i < cursors.length; i++) {
      const cursor = cursors[i]!;
      if (cursor.at === cursor.page.length && cursor.page.length > 0) yield cursor;
      const found = cursor.page[cursor.at];
      if (found === undefined || (record !== undefined && !isBefore(found, record))) continue;
      next = cursor;
      record = found;
    }
    if (key !== undefined && (record === undefined || record[1] !== track || !isSame(record[0], key))) {
      append(buffer, key, catalogue.tracks.get(track)!, names, fold, catalogue, until);
      fold.clear();
      if (buffer.length >= CHUNK_ROWS) {
        yield buffer.columns();
        buffer.reset();
      }
    }
    if (record === undefined || next === undefined) break;
    [key, track] = record as unknown as [PrefixKey, number];
    next.at++;
    if (record[2] > until) continue;
    const series = catalogue.tracks.get(track)!;
    const standing = catalogue.retractions.standing(series, next.kind, record[2], record[3] ?? null, until);
    if (standing !== undefined) fold.take(next.kind, ...standing, until, at === undefined);
  }
  if (buffer.length > 0) yield buffer.columns();
}

function append(
  buffer: EvidenceRowBuffer,
  key: PrefixKey,
  { source, riskType, pool, presence }: Series,
  names: RowNames,
  fold: SeriesFold,
  catalogue: Catalogue,
  until: number,
): void {
  if (presence) return;
  const over = fold.captures(catalogue.countingRuns(source, until), until);
  const openSince = fold.openSince && catalogue.openFrom(source, fold.openSince);
  if (over === undefined && openSince === undefined) return;
  const number = names.source(source.name);
  if (number === undefined) return;
  const [type, poolNumber] = [RISK_TYPES.indexOf(riskType), names.pool(pool)];
  if (over !== undefined)
    buffer.row(appendKey(buffer, key), ROW_OP.fixed, number, type, poolNumber, over.capturedAt, over.days);
  if (openSince !== undefined)
    buffer.row(appendKey(buffer, key), ROW_OP.following, number, type, poolNumber, openSince, 0);
}

const isSame = (a: PrefixKey, b: PrefixKey): boolean => a === b || (typeof a !== 'number' && compareKeys(a, b) === 0);

function isBefore([a, aTrack]: ScanRecord, [b, bTrack]: ScanRecord): boolean {
  const order = compareKeys(a, b);
  return order < 0 || (order === 0 && aTrack < bTrack);
}
