const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base 32 without padding (RFC 4648 6), the form in which authenticators ask for a secret. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held & 31) << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((held >>> (bits - 5)) & 31);
  }
  return bits === 0 ? text : text + BASE32.charAt((held << (5 - bits)) & 31);
}

/**
 * Google Authenticator's key URI. It omits the default algorithm, digits and period, which some
 * authenticators refuse.
 */
export function otpauthUri(secret: Uint8Array, issuer: string, email: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
