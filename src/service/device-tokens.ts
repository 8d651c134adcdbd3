import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS, type UnixMs, unixMs } from '../core/units.ts';

/** A browser counts as known this long after its last sign-in. */
const KNOWN_MS = 180 * DAY_MS;

/**
 * Tokens that a browser gets at each sign-in and brings to the next one (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). They open nothing:
 * a browser that once knew the password of an address is counted apart from strangers, so that no stranger's guesses can lock its owner out.
 *
 *     <holder>.<issued, seconds since 1970, base 36>.<HMAC of both>
 *
 * The holder is a keyed hash of the address, so the token says nothing about it.
 */
export class DeviceTokens {
  readonly #key: Buffer;

  constructor(secret: Uint8Array) {
    this.#key = createHmac('sha256', secret).update('pulse device').digest();
  }

  issue(email: string, at: UnixMs): { readonly token: string; readonly expiresAt: UnixMs } {
    const signed = `${this.#holderOf(email)}.${Math.floor(at / 1000).toString(36)}`;
    return { token: `${signed}.${this.#mac(signed)}`, expiresAt: unixMs(at + KNOWN_MS) };
  }

  /** Whose token it is, as text to count under; undefined when it is not ours or too old. */
  holder(token: string | undefined, at: UnixMs): string | undefined {
    const match = /^(([\w-]{22})\.([0-9a-z]{1,9}))\.([\w-]{43})$/.exec(token ?? '');
    if (match === null) return undefined;
    const [, signed = '', holder, issued = '', mac = ''] = match;
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(this.#mac(signed)))) return undefined;
    const ageMs = at - Number.parseInt(issued, 36) * 1000;
    return ageMs < KNOWN_MS ? holder : undefined;
  }

  /** Whether the token was issued for this address. */
  isOf(token: string | undefined, email: string, at: UnixMs): boolean {
    return this.holder(token, at) === this.#holderOf(email);
  }

  #holderOf(email: string): string {
    return createHmac('sha256', this.#key)
      .update(`address:${createHash('sha256').update(email).digest('base64url')}`)
      .digest('base64url')
      .slice(0, 22);
  }

  #mac(signed: string): string {
    return createHmac('sha256', this.#key).update(`token:${signed}`).digest('base64url');
  }
}
