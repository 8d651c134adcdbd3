/** Saved lists. Times are milliseconds since 1970. */
export interface ListTables {
  lists: {
    id: string;
    /** Null for a list of the installation. */
    account_id: string | null;
    name: string;
    /** ListOptions as JSON. */
    settings: string;
    changed_at: number;
    fetched_at: number | null;
    /** Id of the key that fetched it last. */
    fetched_by: string | null;
    prefixes: number | null;
    bytes: number | null;
  };
}
