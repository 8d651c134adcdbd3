import type { ClaimRules, Claims } from '../../core/sign-in/read-claims.ts';

/** Values of one sign-in that its browser brings back unseen; each is used once. */
export interface SignOnChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignedOn {
  readonly issuer: string;
  readonly subject: string;
  /** Claims of the ID token, then those of UserInfo where the first lack one that the rules read. */
  readonly documents: readonly Claims[];
}

/** Port for the company's OpenID Connect provider. Both calls throw SignOnRefused. */
export interface CompanyProvider {
  readonly rules: ClaimRules;
  /** @param fresh asks the person to sign in again, whatever session they have at the provider */
  start(redirectUri: string, fresh: boolean): Promise<{ readonly url: string; readonly checks: SignOnChecks }>;
  /** @param callback the address that the browser was sent back to, with its query */
  finish(callback: URL, checks: SignOnChecks): Promise<SignedOn>;
}

/**
 * - `away`: the provider does not answer, or does not know this service as it is set up
 * - `untrusted`: an answer of the provider failed a check
 * - `expired`: the sign-in is too old, was finished already, or was started in another browser
 * - `declined`: the person or the provider refused
 * - `stale`: the provider does not say that the person has just signed in
 * - `email`: no verified address
 * - `taken`: another account has the address, and nothing proves that both are one person's
 * - `role`: the person lacks the role that is needed
 * - `disabled`: the account is disabled
 * - `other`: the person signed in to another account than that of the session
 */
export type SignOnRefusal =
  | 'away'
  | 'untrusted'
  | 'expired'
  | 'declined'
  | 'stale'
  | 'email'
  | 'taken'
  | 'role'
  | 'disabled'
  | 'other';

export class SignOnRefused extends Error {
  readonly reason: SignOnRefusal;

  /** @param why for the log alone; never a token, a code or a claim */
  constructor(reason: SignOnRefusal, why: string = reason, options?: ErrorOptions) {
    super(why, options);
    this.name = 'SignOnRefused';
    this.reason = reason;
  }
}
