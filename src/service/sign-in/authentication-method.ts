/** The values are those of RFC 8176, except `recovery`, a recovery code. `otp` is TOTP, `pop` a passkey. */
export type AuthenticationMethod = 'pwd' | 'otp' | 'pop' | 'recovery';
