export type HmacSha1 = (key: Uint8Array, message: Uint8Array) => Uint8Array;

const STEP_SEC = 30;
const DIGITS = 6;
/**
 * Accepts the step before and after: a phone's clock may be off by half a minute, and typing takes time (RFC
 * 6238 5.2).
 */
const DRIFT_STEPS = 1;

/** HOTP (RFC 4226 5.3). */
export function hotp(hmac: HmacSha1, key: Uint8Array, counter: number, digits: number = DIGITS): string {
  const message = new DataView(new ArrayBuffer(8));
  message.setBigUint64(0, BigInt(counter));
  const mac = hmac(key, new Uint8Array(message.buffer));
  const offset = mac[mac.length - 1]! & 15;
  const truncated = new DataView(mac.buffer, mac.byteOffset + offset, 4).getUint32(0) & 0x7fff_ffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

interface TotpInput {
  readonly hmac: HmacSha1;
  readonly secret: Uint8Array;
  readonly code: string;
  readonly at: number;
}

/**
 * Returns the time step of a right code (RFC 6238, steps of 30 s from 1970), or undefined. The caller must
 * refuse a step that is not later than the last accepted one, so that an overheard code is useless.
 * All steps are always computed.
 */
export function matchTotp({ hmac, secret, code, at }: TotpInput): number | undefined {
  const typed = code.replace(/\s/g, '');
  const now = Math.floor(at / 1000 / STEP_SEC);
  let found: number | undefined;
  for (let step = now - DRIFT_STEPS; step <= now + DRIFT_STEPS; step += 1)
    if (hotp(hmac, secret, step) === typed) found = step;
  return found;
}

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
