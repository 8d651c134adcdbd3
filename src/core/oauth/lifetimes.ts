/** How long things of the sign-in flow live, in seconds (interface, "Authentication" 7: tokens one hour, refresh 30 days, counted from sign-in). */
export const LIFETIME_SEC = {
  accessToken: 3600,
  /** Absolute from sign-in: rotation keeps the remaining time. */
  refreshToken: 30 * 86_400,
  /** Outlives every refresh token of its family, or a refresh late in the 30 days would find no grant. */
  grant: 30 * 86_400 + 3600,
  authorizationCode: 60,
  /** Time to sign in and decide on the consent page. */
  interaction: 600,
  /** The authorization server's own session bridges one redirect; the account's session is the console's. */
  session: 600,
  /** A registered client that was never approved is dropped after this time. */
  unusedClient: 7 * 86_400,
} as const;

/** The one scope there is: look up addresses on the account's allowance. */
export const SCOPE = 'ip:lookup';
