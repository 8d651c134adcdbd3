// Caps of one account (docs/accounts.md). The command line is exempt from those on keys and changes.
// biome-ignore format: a table
export const ACCOUNT_CAPS = {
  activeKeys:      100,
  keysEver:      1_000,
  keysAnHour:       20,
  /** Browsers signed in at once; a further one ends the oldest session. */
  sessions:         20,
  passkeys:         10,
  recoveryCodes:    10,
  watchlists:       10,
  feedback:        100,
  /** Apps that may act for the account; a further one ends the least recently used. */
  grants:           50,
  changesADay:     200,
  /**
   * Audited changes per 24 hours that only remove access. They count separately, so that nothing else can use
   * them up.
   */
  endingsADay:     500,
  operatorChangesADay: 5_000,
} as const;
