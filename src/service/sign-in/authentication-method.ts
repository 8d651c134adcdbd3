/**
 * The values are those of RFC 8176, except `oidc`, a sign-in at the company's provider, and `recovery`, a
 * recovery code. `otp` is TOTP, `pop` a passkey, `mfa` several factors at the provider.
 */
export type AuthenticationMethod = 'pwd' | 'oidc' | 'mfa' | 'otp' | 'pop' | 'recovery';

const FIRST: ReadonlySet<string> = new Set<AuthenticationMethod>(['pwd', 'oidc']);

/** Returns how the session was opened, without second factors. */
export const firstMethod = (amr: readonly string[]): AuthenticationMethod => (isOfCompany(amr) ? 'oidc' : 'pwd');

export const isOfCompany = (amr: readonly string[]): boolean => amr.includes('oidc');

export const lacksFactor = (amr: readonly string[]): boolean => amr.every((method) => FIRST.has(method));
