/**
 * How much one account may have of each thing, so that one free sign-up cannot make pages, tables or caches of the whole service large. docs/accounts.md holds
 * the same table. The command line passes the caps on keys.
 */
// biome-ignore format: a table
export const ACCOUNT_CAPS = {
  /** Keys neither revoked nor expired. */
  activeKeys:    100,
  /** Keys ever made; revoked ones stay, for the usage that was theirs. */
  keysEver:    1_000,
  /** Keys made within an hour. */
  keysAnHour:     20,
  /** Times an app was let in and can still act; the one used longest ago ends. */
  grants:         50,
} as const;
