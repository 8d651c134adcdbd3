/**
 * GET /console/api/status is public and says from which data this deployment answers, and how old they are.
 *
 * The role of a source in verdicts. `late`: unread or without new content for longer than its bound.
 * `retired`: silent for so long that it is not expected until it publishes again. `off`: switched off by the
 * operator. `left_out`: verdicts do not expect it.
 */
export type SourceState = 'current' | 'never_read' | 'late' | 'retired' | 'off' | 'left_out';

/**
 * - `feeds`: names a risk type, or a network effect such as `hosting`.
 * - `content_at`: time of the content by the clock of the source.
 */
export interface SourceStatus {
  readonly id: string;
  readonly title: string;
  readonly feeds: string;
  readonly rows: number;
  readonly last_success_at?: string;
  readonly content_at?: string;
  readonly clock: 'stated' | 'server' | 'commit' | 'live' | 'first_read';
  readonly state: SourceState;
  readonly since?: string;
  readonly left_out_because?: string;
  readonly licence: string;
  readonly url: string;
}

/**
 * - `stores_away`: stores that this node cannot use now; absent where it can use all.
 * - `clocks`: stores whose clock differs from this node's by two seconds and more: their clock less the node's.
 * - `evidence`: absent where verdicts expect no source of evidence, and while that is unknown.
 */
export interface Status {
  readonly ready: boolean;
  readonly degraded: boolean;
  readonly stores_away?: readonly string[];
  readonly started_at: string;
  readonly data_version: { readonly risk: string; readonly geo: string };
  readonly history: boolean;
  readonly phone: boolean;
  readonly clocks: readonly { readonly store: string; readonly offset_sec: number }[];
  readonly evidence?: EvidenceStatus;
  readonly sources: readonly SourceStatus[];
}

export interface EvidenceStatus {
  readonly expected: number;
  readonly missing: number;
  readonly retired: number;
  readonly since?: string;
}
