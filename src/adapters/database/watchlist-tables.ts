/** Watch lists of accounts. Times are milliseconds since 1970; `list` is `<account>/<id>`. */
export interface WatchlistTables {
  /** `due_at` is the next check, or the end of a node's lease. */
  watchlists: {
    list: string;
    account_id: string;
    id: string;
    request: string;
    nonce: string;
    created_at: number;
    checked_at: number;
    due_at: number;
    sequence: number;
  };
  watch_states: { list: string; ip: string; state: string };
  /** `sequence` grows within a list; `next_at` is the next attempt, or the end of a node's lease. */
  watch_deliveries: {
    id: string;
    list: string;
    sequence: number;
    ip: string;
    body: string;
    at: number;
    since: number;
    state: string;
    attempts: number;
    next_at: number;
    result: string | null;
  };
}
