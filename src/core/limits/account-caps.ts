/** Caps of one account (docs/accounts.md). The command line passes those on keys and changes. */
// biome-ignore format: a table
export const ACCOUNT_CAPS = {
  /** Keys neither revoked nor expired. */
  activeKeys:      100,
  /** Keys ever made; revoked ones stay, for the usage that was theirs. */
  keysEver:      1_000,
  /** Keys made within an hour. */
  keysAnHour:       20,
  /** Browsers signed in at once; the session opened longest ago ends. */
  sessions:         20,
  passkeys:         10,
  /** Recovery codes made at a time; new ones end the old. */
  recoveryCodes:    10,
  /** Times an app was let in and can still act; the one used longest ago ends. */
  grants:           50,
  /** Audited changes in 24 hours that the holder makes in the console. */
  changesADay:     200,
  /** Audited changes in 24 hours that only take access away, counted apart, so that nothing else can use them up. */
  endingsADay:     500,
  /** Audited changes in 24 hours by one operator on the operator pages. */
  operatorChangesADay: 5_000,
} as const;
