import type { ClaimRules, Claims } from '../../core/sign-in/read-claims.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

/** A person of a provider. The subject stays the same when name and address change (OpenID Connect Core 1.0, 5.7). */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface LinkedIdentity extends Identity {
  readonly linkedAt: UnixMs;
}

export interface IdentityStore {
  accountOf(identity: Identity): Promise<string | undefined>;
  all(accountId: string): Promise<readonly LinkedIdentity[]>;
  /**
   * Links a person to an account, in one transaction with its audit row. A person who is linked already stays
   * with the first account.
   * @param isNew the account was made for this person
   */
  link(identity: Identity, accountId: string, isNew: boolean, by: By): Promise<void>;
}

/** Values of one sign-in that its browser brings back unseen; each is used once. */
export interface SignOnChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

interface SignedOn {
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

/**
 * JSON of the WebAuthn API (`PublicKeyCredential.toJSON()`, `parse…OptionsFromJSON`), passed through
 * unchanged.
 */
export type WebAuthnJson = Readonly<Record<string, unknown>>;

export interface KnownPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/**
 * Port for the two ceremonies of Web Authentication. Both require user verification. An invalid response is a return
 * value, not an exception. `verifyAuthentication`: returns the new signature counter, or undefined. A counter that
 * does not grow is refused, because it indicates a copied authenticator.
 */
export interface Passkeys {
  registrationOptions(
    account: { readonly id: string; readonly email: string },
    known: readonly KnownPasskey[],
  ): Promise<{ options: WebAuthnJson; challenge: string }>;
  verifyRegistration(response: unknown, challenge: string): Promise<NewPasskey | undefined>;
  authenticationOptions(known: readonly KnownPasskey[]): Promise<{ options: WebAuthnJson; challenge: string }>;
  verifyAuthentication(response: unknown, challenge: string, passkey: KnownPasskey): Promise<number | undefined>;
}
