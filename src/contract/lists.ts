import type { EvidenceState, Level, ShareTier, Signal } from './risk.ts';

export const LIST_FORMATS = ['txt', 'csv', 'json', 'nft'] as const;
export type ListFormat = (typeof LIST_FORMATS)[number];

/**
 * - `include_shared`: it holds what is only challenged, too.
 * - `max`: the list holds the riskiest prefixes, at most this many.
 */
export interface ListOptions {
  readonly min_score: number;
  readonly levels?: readonly Level[];
  readonly states: readonly EvidenceState[];
  readonly signals?: readonly Signal[];
  readonly max_tier: ShareTier;
  readonly include_shared?: boolean;
  readonly family: '4' | '6' | 'both';
  readonly exclude: readonly string[];
  readonly max?: number;
}

export interface ListDocument extends ListOptions {
  readonly name: string;
  /** True for a list of the installation, which every key may fetch. */
  readonly shared: boolean;
  readonly changed_at: string;
  readonly last_fetch?: {
    readonly at: string;
    readonly key_id: string;
    readonly prefixes: number;
    readonly bytes: number;
  };
}
