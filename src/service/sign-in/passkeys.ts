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

export interface NewPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/**
 * Port for the two ceremonies of Web Authentication. Both require user verification. An invalid response is a
 * return value, not an exception.
 */
export interface Passkeys {
  registrationOptions(
    account: { readonly id: string; readonly email: string },
    known: readonly KnownPasskey[],
  ): Promise<{ options: WebAuthnJson; challenge: string }>;
  verifyRegistration(response: unknown, challenge: string): Promise<NewPasskey | undefined>;
  authenticationOptions(known: readonly KnownPasskey[]): Promise<{ options: WebAuthnJson; challenge: string }>;
  /**
   * Returns the new signature counter, or undefined. A counter that does not grow is refused, because it
   * indicates a copied authenticator.
   */
  verifyAuthentication(response: unknown, challenge: string, passkey: KnownPasskey): Promise<number | undefined>;
}
