/**
 * Lifetimes of the sign-in flow in seconds (interface, "Authentication" 7: tokens one hour, refresh 30 days,
 * counted from sign-in).
 */
export const LIFETIME_SEC = {
  accessToken: 3600,
  /** Counted from sign-in: rotation keeps the remaining time. */
  refreshToken: 30 * 86_400,
  /** For this time after its first use a refresh token works again (decisions 7.5). */
  reuse: 60,
  /** Outlives every refresh token of its family; otherwise a late refresh would find no grant. */
  grant: 30 * 86_400 + 3600,
  authorizationCode: 60,
  interaction: 600,
  /** The authorization server's session bridges one redirect; the account's session is that of the console. */
  session: 600,
  unusedClient: 7 * 86_400,
} as const;

/** The only scope: lookups of addresses on the account's quota. */
export const SCOPE = 'ip:lookup';
/** Refresh tokens are always given; this scope is echoed to clients that refresh only where they asked for it. */
export const OFFLINE = 'offline_access';
