/** Times are milliseconds since 1970. Secrets (cookies, mail links) are stored as hashes only. */
export interface SignInTables {
  /**
   * `amr` holds the methods of authentication (RFC 8176), separated by spaces. `authenticated_at` is when the
   * holder last proved their identity. `country` and `agent` are those of the sign-in. `seen_at` is the last
   * use, to the minute.
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
  sign_in_countries: { account_id: string; country: string };
  /** Links sent by mail. `payload` is the effect of following the link, as JSON. */
  mail_links: { id: string; purpose: string; email: string; payload: string; created_at: number; expires_at: number };
  /**
   * `secret` is the sealed TOTP secret or the public key of a passkey. `counter` is the last time step used
   * or the signature counter. `transports` are separated by spaces.
   */
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
  recovery_codes: { hash: string; account_id: string };
  /** Sign-ins that wait for a factor and factors being set up live for five minutes. */
  factor_steps: {
    id: string;
    purpose: string;
    account_id: string;
    session_id: string | null;
    amr: string;
    payload: string;
    expires_at: number;
  };
  /** People of the company's provider and the accounts that they sign in to. */
  identities: { issuer: string; subject: string; account_id: string; linked_at: number };
}
