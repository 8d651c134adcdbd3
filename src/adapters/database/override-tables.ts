/** Corrections of verdicts by operators. Times are milliseconds since 1970. */
export interface OverrideTables {
  /** `deny`: the risk type its addresses count as; null: they are allowed. Ended ones stay, for answers about the past. */
  overrides: {
    id: string;
    prefix: string;
    deny: string | null;
    reason: string;
    created_at: number;
    until_at: number;
    removed_at: number | null;
  };
}
