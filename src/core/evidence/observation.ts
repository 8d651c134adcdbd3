import type { RiskType } from '../../contract/risk.ts';
import type { UnixMs } from '../units.ts';
import type { SensorColumns } from './sensor-columns.ts';

/**
 * Captures that one address has at one instant from one (prefix, source, risk type, pool): a verdict weighs it. Which of them count together depends on the
 * instant, so they stay apart until `weigh`. The live index and the history store both end in `foldObservations`, so they cannot disagree.
 */
export interface Observation {
  readonly riskType: RiskType;
  /** Id of the source that captured it. */
  readonly source: string;
  /** Origin of the listing: one origin counts once. Only osint scores per family. */
  readonly family: string;
  /** Newest capture at or before the instant. */
  readonly capturedAt: UnixMs;
  /** Observed days, as of the capture: bit 0 is the UTC date of `capturedAt`, bit i the date i days before. 14 bits. Bit 0 is always set. */
  readonly days: number;
  /** Length of the captured prefix: the wider, the less it weighs. */
  readonly prefixBits: number;
  /** Internal name of the pool it was seen in, or nothing. Never published as it is. */
  readonly pools: readonly string[];
  /** Facts of the source that raise the sharing tier: Tor exits and published relay ranges. */
  readonly sharedBy?: 'tor' | 'relay';
}

/** How a source reports: `listing` is re-sighted by every run, `appearance` only when an entry is new or carries a newer time, `events` carries its own times. */
export type SourceMode = 'listing' | 'appearance' | 'events';

/** A source of captures, as the store and the scorer need to know it. */
export interface EvidenceSource {
  readonly id: string;
  readonly family: string;
  readonly mode: SourceMode;
  /** Risk type of rows that name none themselves. */
  readonly riskType?: RiskType;
  readonly pool?: string;
  /** Id of the key that brought these captures, so that they can be taken back by it. */
  readonly sender?: string;
  readonly sharedBy?: 'tor' | 'relay';
  /** Kind of its single addresses where a usage code says DYN or MOB, in place of its own (core/collection/derive/derive-listed.ts). */
  readonly derives?: RiskType;
}

/**
 * Many captures in columns, as a parser produces and the store takes them. Row i: prefix = words[4i..4i+3] with bits[i];
 * `type[i]` indexes RISK_TYPES, 255 = the source's own type; `capturedAt[i]` is NaN where the run's own time applies; `pool[i]` indexes `pools`,
 * whose entry 0 is always '' and means the source's own pool or none. `CaptureBatchBuilder` makes one.
 */
export interface CaptureBatch {
  readonly length: number;
  readonly family: Uint8Array;
  readonly words: Uint32Array;
  readonly bits: Uint8Array;
  readonly type: Uint8Array;
  readonly capturedAt: Float64Array;
  readonly pool: Uint16Array;
  readonly pools: readonly string[];
  /** Additions of sensors to the rows; left out where they added nothing. Not compared between two batches. */
  readonly sensor?: SensorColumns;
}
