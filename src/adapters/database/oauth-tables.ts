export interface OAuthTables {
  oauth_rows: OAuthTableRow;
}

/** Rows of these kinds let an app act for an account. */
export const APP_KINDS = ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

export interface OAuthTableRow {
  kind: string;
  /** The id itself for clients and grants. For other kinds, whose id is the secret, SHA-256 of kind and id. */
  id: string;
  payload: string;
  grant_id: string | null;
  client_id: string | null;
  account_id: string | null;
  uid: string | null;
  /** Counts, for refresh tokens, how often the family was rotated before. */
  rotations: number | null;
  consumed_at: number | null;
  created_at: number;
  /** Null for clients, which do not expire. */
  expires_at: number | null;
  /** Notes for grants the last use of a token, to the minute. */
  last_used_at: number | null;
}
