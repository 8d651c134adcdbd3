/** Body of GET /console/api/status, public: what data this deployment answers from, and how old it is. Imports nothing. */
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
  /** Its newest content is older than its bound. */
  readonly overdue: boolean;
  /** Switched off by the operator: not read, and not expected. */
  readonly off: boolean;
  /** Terms the data comes under, and where it comes from: what attribution needs. */
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
  readonly sources: readonly SourceStatus[];
}
