import { type EvidenceState, type Level, SHARE_TIERS, type ShareTier, type Signal } from '../../contract/risk.ts';
import type { Prefix } from '../ip/address.ts';
import type { AnonymityField } from './anonymity.ts';

/** A verdict about a prefix, with field names of the single endpoint's body. */
export interface ExportRecord {
  readonly risk: {
    readonly score: number;
    readonly level: Level;
    readonly signals?: readonly Signal[];
  };
  readonly evidence_state: EvidenceState;
  /** Present only where one network holds the whole prefix. */
  readonly network?: { readonly asn?: number; readonly usage_type?: string };
  /** Present only in a file that carries nothing else. */
  readonly anonymity?: readonly AnonymityField[];
}

/** Entries ascend, IPv4 first, and never overlap. */
export interface ExportEntry {
  readonly prefix: Prefix;
  readonly record: ExportRecord;
}

/** Says how much of a record a format can hold; prefixes that agree in that much are joined. */
export type ExportDetail = 'record' | 'score' | 'prefix' | 'anonymity';

/** Selects the verdicts of a file; an absent list admits everything. */
export interface ExportFilter {
  readonly minScore: number;
  readonly levels?: readonly Level[] | undefined;
  readonly states?: readonly EvidenceState[] | undefined;
  readonly signals?: readonly Signal[] | undefined;
  readonly maxTier?: ShareTier | undefined;
}

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
