/** Rows of sign-in. Times are milliseconds since 1970. Secrets (cookies, mail links) are stored as hashes only. */
export interface SignInTables {
  sessions: { id: string; account_id: string; created_at: number; expires_at: number };
  /** Links sent by mail. `payload` is JSON: what the link will do when it is followed. */
  mail_links: { id: string; purpose: string; email: string; payload: string; created_at: number; expires_at: number };
}
