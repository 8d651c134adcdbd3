/** Rows of the authorization server. Times are milliseconds since 1970. */
export interface OAuthTables {
  oauth_rows: OAuthTableRow;
}

/** Kinds of the rows by which an app acts for an account. */
export const APP_KINDS = ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

export interface OAuthTableRow {
  kind: string;
  /** Clients and grants: the id itself. Everything else: SHA-256 of kind and id, because there the id is the secret. */
  id: string;
  /** JSON, without the id. */
  payload: string;
  grant_id: string | null;
  client_id: string | null;
  account_id: string | null;
  uid: string | null;
  consumed_at: number | null;
  created_at: number;
  /** Null: does not expire (clients). */
  expires_at: number | null;
  /** Grants: last use of a token, to within a minute. */
  last_used_at: number | null;
}
