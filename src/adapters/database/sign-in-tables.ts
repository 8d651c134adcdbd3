/** Rows of sign-in. Times are milliseconds since 1970. Secrets (cookies, mail links) are stored as hashes only. */
export interface SignInTables {
  /**
   * `amr`: how it was authenticated (RFC 8176), words apart by blanks; `authenticated_at`: when the holder last proved who they are. `country` and `agent` are
   * those of its sign-in; `seen_at`: last use, to within a minute.
   */
  sessions: {
    id: string;
    account_id: string;
    created_at: number;
    seen_at: number;
    expires_at: number;
    amr: string;
    authenticated_at: number;
    country: string | null;
    agent: string;
  };
  /** Countries that an account has signed in from. */
  sign_in_countries: { account_id: string; country: string };
  /** Links sent by mail. `payload` is JSON: the effect of following the link. */
  mail_links: { id: string; purpose: string; email: string; payload: string; created_at: number; expires_at: number };
  /** `secret`: TOTP, sealed; passkey, its public key. `counter`: the last time step taken, the signature counter. `transports`: words apart by blanks. */
  second_factors: {
    id: string;
    account_id: string;
    kind: 'totp' | 'passkey';
    name: string;
    secret: string;
    credential_id: string | null;
    transports: string;
    counter: number;
    created_at: number;
    last_used_at: number | null;
  };
  /** Keyed hashes of codes that were not used yet. */
  recovery_codes: { hash: string; account_id: string };
  /** Sign-ins that wait for a factor, and factors being set up; each for five minutes. */
  factor_steps: {
    id: string;
    purpose: string;
    account_id: string;
    session_id: string | null;
    payload: string;
    expires_at: number;
  };
}
