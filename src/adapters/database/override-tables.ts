export interface OverrideTables {
  /**
   * `deny` is the risk type of a denial, or null for an allowance. Ended overrides stay, for answers about
   * the past.
   */
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
