import type { UnixMs } from '../../core/units.ts';

/**
 * A source as the live index needs it. `lastRunAt` and `runDays` are what every open (following) row of a listing takes its capture from:
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

/** What one row of a delta does. Rows apply in order. */
export const DELTA_OP = {
  /** Forget every row of this source for exactly this prefix; the rows that are still true follow. */
  clear: 0,
  /** Add a capture with its own time and days (an event, an appearance, a spell that ended). Equal keys unite. */
  fixed: 1,
  /** Add an open spell: present in every run of the source from `capturedAt` (the first run) on. */
  following: 2,
} as const;

/**
 * What accepted batches changed since a known sequence number: columns only, so that it crosses threads by structured clone.
 * Row i: prefix = words[4i..4i+3], bits[i], family[i]; `source[i]` indexes `sources`, `type[i]` RISK_TYPES, `pool[i]` indexes `pools` (0 = none, pools[0] = '').
 * The end of a spell is `clear` and then the rows of that source for that prefix which remain, the ended spell among them as `fixed`.
 */
export interface EvidenceDelta {
  /** The view after this delta stands at this sequence number. Deltas apply in rising order; one that is not newer than the view is ignored. */
  readonly sequence: number;
  /** data_version.risk from here on. */
  readonly dataVersion: string;
  /** Sources that the rows name, and sources whose runs moved. Whole state, not a difference. */
  readonly sources: readonly LiveSource[];
  readonly pools: readonly string[];
  readonly length: number;
  readonly op: Uint8Array;
  readonly family: Uint8Array;
  readonly words: Uint32Array;
  readonly bits: Uint8Array;
  readonly source: Uint16Array;
  readonly type: Uint8Array;
  readonly pool: Uint16Array;
  /** fixed: time of the newest capture. following: time of the first run of the spell. */
  readonly capturedAt: Float64Array;
  /** fixed: observed days as in Observation. following: ignored. */
  readonly days: Uint16Array;
}

export interface EvidenceMeta {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
  /** Sequence of the last accepted batch that is inside. */
  readonly sequence: number;
}
