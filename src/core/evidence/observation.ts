import type { RiskType } from '../../contract/risk.ts';
import type { UnixMs } from '../units.ts';
import type { SensorColumns } from './sensor-columns.ts';

/**
 * Captures of one address by one (prefix, source, risk type, pool), as a verdict weighs them at one instant.
 * Which of them count together depends on the instant, so they stay apart until `weigh`. The live index and
 * the history store both use `foldObservations`, so they cannot disagree.
 * - `family`: one origin counts once. Only osint scores per family.
 * - `days`: observed days as of the capture, 14 bits: bit 0 is the UTC date of `capturedAt` and always set, bit i is
 *   the date i days earlier.
 * - `pools`: these internal names may be empty and are never published unchanged.
 */
export interface Observation {
  readonly riskType: RiskType;
  readonly source: string;
  readonly family: string;
  readonly capturedAt: UnixMs;
  readonly days: number;
  readonly prefixBits: number;
  readonly pools: readonly string[];
  readonly sharedBy?: 'tor' | 'relay';
}

/**
 * A source reports in one of three ways. In a `listing` every run is a new sighting; an `appearance` counts
 * only if an entry is new or has a newer time; `events` have their own times.
 */
export type SourceMode = 'listing' | 'appearance' | 'events';

export interface EvidenceSource {
  readonly id: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly riskType?: RiskType;
  readonly pool?: string;
  readonly sender?: string;
  readonly sharedBy?: 'tor' | 'relay';
  /**
   * Single addresses with usage code DYN or MOB get this kind instead of the source's own
   * (core/collection/derive/derive-listed.ts).
   */
  readonly derives?: RiskType;
}

/**
 * Many captures in columns, from parser to store. Row i: prefix = words[4i..4i+3] with bits[i]; `type[i]` indexes
 * RISK_TYPES, 255 = the source's own type; `capturedAt[i]` is NaN for the run's own time; `pool[i]` indexes `pools`,
 * whose entry 0 is always '' and means the source's own pool or none. `CaptureBatchBuilder` makes one. `sensor`:
 * absent if there are none. Comparisons of two batches ignore them.
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
  readonly sensor?: SensorColumns;
}
