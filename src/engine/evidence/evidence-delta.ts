import type { UnixMs } from '../../core/units.ts';

/**
 * A source as the live index needs it. `lastRunAt` and `runDays` are those from which every open (following) row of a listing takes its capture from:
 * capturedAt = lastRunAt; days = runDays cut at the row's first run. Both are 0 for sources without runs.
 */
export interface LiveSource {
  readonly id: string;
  readonly family: string;
  readonly sharedBy?: 'tor' | 'relay';
  /** Time of the newest accepted run. */
  readonly lastRunAt: UnixMs;
  /** UTC dates with at least one run: bit 0 the date of `lastRunAt`, bit i the date i days before. 14 bits, bit 0 set when there was a run. */
  readonly runDays: number;
}

/**
 * A state of one evidence store. A number alone does not name a state: a store that was restored or cut gives the same numbers again to other batches. Each
 * batch therefore has a random mark, and a store that holds the batch with this mark holds all batches before it, as they were.
 */
export interface EvidencePosition {
  /** Identity of the store, made with its tables; empty at 0, of a view that has seen none. */
  readonly store: string;
  /** Number of the newest accepted batch; 0 before the first. */
  readonly sequence: number;
  /** Mark of that batch; empty at 0. */
  readonly mark: string;
}

/** Where a view stands that has seen no store. Nothing was ever seen there, which is true of every store before its first batch. */
export const NOWHERE: EvidencePosition = { store: '', sequence: 0, mark: '' };

/** The position alone, of a larger value. */
export const positionOf = ({ store, sequence, mark }: EvidencePosition): EvidencePosition => ({
  store,
  sequence,
  mark,
});

/**
 * Whether a view at `position` can be brought up to the newest state of a store.
 * @param held the position of the store at the same number; undefined where it has no batch of that number
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

/** Effect of one row. Rows apply in order. */
export const ROW_OP = {
  /** Deltas only: forget every row of this source for exactly this prefix. The rows that are still true follow. */
  clear: 0,
  /** A capture with its own time and days: an event, an appearance, a presence interval that ended. */
  fixed: 1,
  /** An open presence interval: present in every run of the source from `capturedAt` (the presence interval's first run) on. */
  following: 2,
  /** Deltas only: the open presence interval of this (prefix, source, type, pool) is over; this fixed row stays of it. */
  ended: 3,
} as const;

/**
 * Evidence rows in columns. Row i: prefix = words[4i..4i+3] with bits[i], of family[i] 4 or 6; `type[i]` indexes RISK_TYPES.
 * The receiver of the rows defines the lists that `source[i]` and `pool[i]` index: numbers the builder gave, or the lists of a delta. Pool 0 means no pool.
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
  /** fixed, ended: time of the newest capture. following: time of the first run of the presence interval. clear: ignored. */
  readonly capturedAt: Float64Array;
  /** fixed, ended: observed days as in Observation. Else ignored. */
  readonly days: Uint16Array;
}

/**
 * Changes by accepted batches since a known sequence number: columns, so that it crosses threads by structured clone.
 * `source[i]` indexes `sources`, `pool[i]` indexes `pools` (entry 0 is '').
 * Captures come without earlier ones of their prefix: rows of equal (prefix, source, type, pool) unite, newest time first, days joined. Where a past was
 * changed a `clear` comes first, and then all rows of that source for that prefix.
 */
export interface EvidenceDelta extends EvidenceColumns, EvidencePosition {
  /** The view after this delta stands at this position. Deltas apply in rising order of their numbers; one that is not newer than the view changes nothing. */
  readonly sequence: number;
  /** data_version.risk from here on. */
  readonly dataVersion: string;
  /** Sources that the rows name, and sources whose runs moved. Whole state, not a difference. */
  readonly sources: readonly LiveSource[];
  readonly pools: readonly string[];
}

/** Metadata of a compiled evidence file. */
export interface EvidenceMeta extends EvidencePosition {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
}
