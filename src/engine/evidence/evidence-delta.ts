import type { UnixMs } from '../../core/units.ts';

/**
 * State of a source in the live index. Every open row of a listing takes its capture from `lastRunAt` and its days
 * from `runDays`, cut at the row's first run. Both are 0 for sources without runs. `runDays`: UTC dates with at least
 * one run: bit 0 is the date of `lastRunAt`, bit i the date i days before. 14 bits; bit 0 is set when there was a
 * run.
 */
export interface LiveSource {
  readonly id: string;
  readonly family: string;
  readonly sharedBy?: 'tor' | 'relay';
  readonly lastRunAt: UnixMs;
  readonly runDays: number;
}

/**
 * State of one evidence store. A number alone does not identify a state, because a restored or truncated store reuses
 * numbers. Each batch therefore has a random mark: a store that holds this mark holds all earlier batches unchanged.
 * `store`: identifies the store and was made with its tables. It and `mark`, which names the batch, are empty while
 * `sequence` is 0.
 */
export interface EvidencePosition {
  readonly store: string;
  readonly sequence: number;
  readonly mark: string;
}

/** Position of a view that has seen no store. It knows no captures, like every store before its first batch. */
export const NO_POSITION: EvidencePosition = { store: '', sequence: 0, mark: '' };

export const positionOf = ({ store, sequence, mark }: EvidencePosition): EvidencePosition => ({
  store,
  sequence,
  mark,
});

/**
 * Returns whether deltas can bring a view at `position` up to the newest state of a store.
 * @param held position of the store at the same number; undefined where it has no such batch
 */
export function continues(position: EvidencePosition, held: EvidencePosition | undefined): boolean {
  if (position.sequence === 0) return true;
  return (
    held !== undefined &&
    held.store === position.store &&
    held.sequence === position.sequence &&
    held.mark === position.mark
  );
}

/**
 * Rows apply in order. Only deltas have `clear`, which forgets every row of a source for exactly this prefix
 * before the rows that still hold, and `ended`, which closes the open presence interval of this (prefix,
 * source, type, pool) and leaves a fixed row. `fixed` is a capture with its own time and days. `following` is
 * an open presence interval: present in every run of the source from `capturedAt`, its first run, on.
 */
export const ROW_OP = {
  clear: 0,
  fixed: 1,
  following: 2,
  ended: 3,
} as const;

/**
 * Evidence rows in columns. Row i has the prefix words[4i..4i+3] with bits[i] and family[i]; `type[i]`
 * indexes RISK_TYPES. The receiver defines the lists that `source[i]` and `pool[i]` index. Pool 0 means no
 * pool. For `fixed` and `ended`, `capturedAt` is the newest capture and `days` are observed days as in
 * Observation; for `following`, `capturedAt` is the interval's first run.
 */
export interface EvidenceColumns {
  readonly length: number;
  readonly op: Uint8Array;
  readonly family: Uint8Array;
  readonly words: Uint32Array;
  readonly bits: Uint8Array;
  readonly source: Uint16Array;
  readonly type: Uint8Array;
  readonly pool: Uint16Array;
  readonly capturedAt: Float64Array;
  readonly days: Uint16Array;
}

/**
 * Changes by accepted batches since a known sequence number, in columns that cross threads by structured
 * clone.
 * `source[i]` indexes `sources`, `pool[i]` indexes `pools` (entry 0 is '').
 * Rows of equal (prefix, source, type, pool) unite: the newest time wins and days are joined. Where a past
 * was changed, a `clear` comes first and then all rows of that source for that prefix.
 * - `sequence`: deltas apply in rising order; one that is not newer than the view changes nothing.
 * - `sources`: complete state of every source that the rows name or whose runs moved.
 */
export interface EvidenceDelta extends EvidenceColumns, EvidencePosition {
  readonly sequence: number;
  readonly dataVersion: string;
  readonly sources: readonly LiveSource[];
  readonly pools: readonly string[];
}

export interface EvidenceMeta extends EvidencePosition {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
}
