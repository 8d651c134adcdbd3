import { type EvidenceState, type Level, SHARE_TIERS, type ShareTier, type Signal } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import type { AnonymityField } from './anonymity.ts';

/** Statement of a file of verdicts about a prefix: fields of the single endpoint's body, under the same names. */
export interface ExportRecord {
  readonly risk: {
    readonly score: number;
    readonly level: Level;
    /** Left out when nothing fires. */
    readonly signals?: readonly Signal[];
  };
  readonly evidence_state: EvidenceState;
  /** Only where one network holds the whole prefix. */
  readonly network?: { readonly asn?: number; readonly usage_type?: string };
  /** Only where a file carries nothing else. */
  readonly anonymity?: readonly AnonymityField[];
}

/** A prefix of a file. Entries ascend, IPv4 first, and none overlaps another. */
export interface ExportEntry {
  readonly prefix: Prefix;
  readonly record: ExportRecord;
}

/** How much of a record a format has room for: prefixes that agree in that much are joined. */
export type ExportDetail = 'record' | 'score' | 'prefix' | 'anonymity';

/** Which verdicts a file holds. A list that is left out refuses nothing. */
export interface ExportFilter {
  /** 0 to 100. */
  readonly minScore: number;
  readonly levels?: readonly Level[] | undefined;
  readonly states?: readonly EvidenceState[] | undefined;
  /** At least one of these. */
  readonly signals?: readonly Signal[] | undefined;
  /** The most that an address may be shared. */
  readonly maxTier?: ShareTier | undefined;
}

/** Whether a verdict passes the filter. */
export function passesFilter(
  {
    score,
    level,
    state,
    signals,
    shareTier,
  }: {
    readonly score: number;
    readonly level: Level;
    readonly state: EvidenceState;
    readonly signals: readonly Signal[];
    readonly shareTier: ShareTier;
  },
  filter: ExportFilter,
): boolean {
  return (
    score >= filter.minScore &&
    (filter.levels?.includes(level) ?? true) &&
    (filter.states?.includes(state) ?? true) &&
    (filter.maxTier === undefined || SHARE_TIERS.indexOf(shareTier) <= SHARE_TIERS.indexOf(filter.maxTier)) &&
    (filter.signals === undefined || filter.signals.some((signal) => signals.includes(signal)))
  );
}
