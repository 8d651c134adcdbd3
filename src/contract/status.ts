/** Body of GET /console/api/status, public: the data this deployment answers from, and how old it is. */

/**
 * Role of a source in verdicts. `late`: unread or without new content for longer than its bound. `retired`:
 * silent for so long that it is not expected until it publishes again. `off`: switched off by the operator.
 * `left_out`: verdicts do not expect it.
 */
export type SourceState = 'current' | 'never_read' | 'late' | 'retired' | 'off' | 'left_out';

export interface SourceStatus {
  readonly id: string;
  readonly title: string;
  /** Risk type, or the network effect such as `hosting`. */
  readonly feeds: string;
  readonly rows: number;
  /** When it was read last. */
  readonly last_success_at?: string;
  /** The time its newest content is from, by the clock of the source. */
  readonly content_at?: string;
  /** Whose clock dates its content. */
  readonly clock: 'stated' | 'server' | 'commit' | 'live' | 'first_read';
  readonly state: SourceState;
  /** Since when it is late or retired. */
  readonly since?: string;
  readonly left_out_because?: string;
  /** Terms the data comes under, and where it comes from: for attribution. */
  readonly licence: string;
  readonly url: string;
}

export interface Status {
  readonly ready: boolean;
  readonly degraded: boolean;
  readonly started_at: string;
  readonly data_version: { readonly risk: string; readonly geo: string };
  readonly history: boolean;
  readonly phone: boolean;
  /** The sources of evidence that verdicts expect; absent where none is, and while it is not known. */
  readonly evidence?: EvidenceStatus;
  readonly sources: readonly SourceStatus[];
}

export interface EvidenceStatus {
  readonly expected: number;
  /** Of these: never read, or late. */
  readonly missing: number;
  /** Not expected until they publish again. */
  readonly retired: number;
  /** Since when the one that is late longest is so. */
  readonly since?: string;
}
