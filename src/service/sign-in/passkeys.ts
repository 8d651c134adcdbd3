/** JSON of the WebAuthn API (`PublicKeyCredential.toJSON()` and the options of `parse…OptionsFromJSON`), passed through as it is. */
export type WebAuthnJson = Readonly<Record<string, unknown>>;

export interface KnownPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

export interface NewPasskey {
  readonly credentialId: string;
  /** COSE key in base64url. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** Port: the two ceremonies of Web Authentication for this site. User verification is required in both. A response that does not hold is a value, not an exception. */
export interface Passkeys {
  /** Options for `navigator.credentials.create`, and the challenge in them. */
  registrationOptions(
    account: { readonly id: string; readonly email: string },
    known: readonly KnownPasskey[],
  ): Promise<{ options: WebAuthnJson; challenge: string }>;
  verifyRegistration(response: unknown, challenge: string): Promise<NewPasskey | undefined>;
  /** Options for `navigator.credentials.get`, and the challenge in them. */
  authenticationOptions(known: readonly KnownPasskey[]): Promise<{ options: WebAuthnJson; challenge: string }>;
  /** The new signature counter, or undefined; a counter that does not grow is refused (a copied authenticator). */
  verifyAuthentication(response: unknown, challenge: string, passkey: KnownPasskey): Promise<number | undefined>;
}
