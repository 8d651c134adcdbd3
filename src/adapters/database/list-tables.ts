export interface ListTables {
  lists: {
    id: string;
    account_id: string | null;
    name: string;
    settings: string;
    changed_at: number;
    fetched_at: number | null;
    fetched_by: string | null;
    prefixes: number | null;
    bytes: number | null;
  };
}
