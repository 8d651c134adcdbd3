import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';

const KNOWN_MS = 180 * DAY_MS;

/**
 * Device tokens, which a browser gets at each sign-in and sends at the next one (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies"). They grant nothing. A browser that once knew an address's password
 * is counted apart from strangers, whose guesses therefore cannot lock the owner out.
 *
 *     <holder>.<issued, seconds since 1970, base 36>.<HMAC of both>
 *
 * The holder is a keyed hash of the address, so the token does not reveal it.
 */
export class DeviceTokens {
  readonly #key: Buffer;
  readonly #formerKeys: readonly Buffer[];

  /** @param formerSecrets previous keys, whose tokens are still accepted */
  constructor(secret: Uint8Array, formerSecrets: readonly Uint8Array[] = []) {
    this.#key = deviceKey(secret);
    this.#formerKeys = formerSecrets.map(deviceKey);
  }

  issue(email: string, at: UnixMs): { readonly token: string; readonly expiresAt: UnixMs } {
    const signed = `${holderOf(this.#key, email)}.${Math.floor(at / 1000).toString(36)}`;
    return { token: `${signed}.${macOf(this.#key, signed)}`, expiresAt: unixMs(at + KNOWN_MS) };
  }

  /** Returns a stable name to count under; undefined for a foreign or expired token. */
  holder(token: string | undefined, at: UnixMs): string | undefined {
    return this.#read(token, at)?.holder;
  }

  isOf(token: string | undefined, email: string, at: UnixMs): boolean {
    const read = this.#read(token, at);
    return read !== undefined && read.holder === holderOf(read.key, email);
  }

  #read(token: string | undefined, at: UnixMs): { readonly key: Buffer; readonly holder: string } | undefined {
    const match = /^(([\w-]{22})\.([0-9a-z]{1,9}))\.([\w-]{43})$/.exec(token ?? '');
    if (match === null) return undefined;
    const [, signed = '', holder = '', issued = '', mac = ''] = match;
    const key = [this.#key, ...this.#formerKeys].find((one) =>
      timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(one, signed))),
    );
    const ageMs = at - Number.parseInt(issued, 36) * 1000;
    return key !== undefined && ageMs < KNOWN_MS ? { key, holder } : undefined;
  }
}

const deviceKey = (secret: Uint8Array): Buffer => createHmac('sha256', secret).update('pulse device').digest();

const holderOf = (key: Uint8Array, email: string): string =>
  createHmac('sha256', key)
    .update(`address:${createHash('sha256').update(email).digest('base64url')}`)
    .digest('base64url')
    .slice(0, 22);

const macOf = (key: Uint8Array, signed: string): string =>
  createHmac('sha256', key).update(`token:${signed}`).digest('base64url');
