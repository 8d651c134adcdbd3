/** How a session was authenticated, in the words of RFC 8176 where it has one: `pwd`, `otp` (TOTP), `pop` (passkey), `recovery` (recovery code). */
export type AuthenticationMethod = 'pwd' | 'otp' | 'pop' | 'recovery';
