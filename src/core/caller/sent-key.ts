import type { UnixMs } from '../units.ts';
import type { ApiKey } from './caller.ts';

/** `differs`: both headers were sent with different keys. `misplaced`: a key in another form or header. */
export type SentKey =
  | { readonly status: 'none' }
  | { readonly status: 'sent'; readonly secret: string }
  | { readonly status: 'differs' }
  | { readonly status: 'misplaced' };

const NONE: SentKey = { status: 'none' };
const DIFFERS: SentKey = { status: 'differs' };
const MISPLACED: SentKey = { status: 'misplaced' };

/** Access tokens consist of word characters and dashes, so a key inside a text begins after another one. */
const INSIDE = /[^\w-]pk_\w/;

/** An empty header is ignored (decisions 5.1). */
export function sentKey(apiKey: string | undefined, authorization: string | undefined): SentKey {
  const header = apiKey === undefined ? '' : apiKey.trim();
  const bearer = authorization === undefined ? '' : bearerOf(authorization);
  if (header === '' && bearer === '') {
    if (authorization === undefined) return NONE;
    return /pk_\w/.test(`${authorization} ${basicPair(authorization)}`) ? MISPLACED : NONE;
  }
  if (header !== '' && bearer !== '' && bearer !== header) return DIFFERS;
  const secret = header === '' ? bearer : header;
  return INSIDE.test(secret) && !secret.startsWith('pk_') ? MISPLACED : { status: 'sent', secret };
}

/** Tells whether a header that is not for keys consists of one, such as `Key: pk_…`. */
export function isKeyElsewhere(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean {
  for (const name in headers) {
    const value = headers[name];
    if (name !== 'cookie' && typeof value === 'string' && value.startsWith('pk_')) return true;
  }
  return false;
}

function bearerOf(authorization: string): string {
  const match = /^\s*bearer(?:\s+(.*))?$/i.exec(authorization);
  return match?.[1]?.trim() ?? '';
}

/** Accepts any user name; returns an empty text without an HTTP Basic header (RFC 7617). */
export function basicPassword(authorization: string | undefined): string {
  const pair = basicPair(authorization);
  return pair.slice(pair.indexOf(':') + 1).trim();
}

function basicPair(authorization: string | undefined): string {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(authorization ?? '')?.[1];
  const digits = encoded?.replace(/={1,2}$/, '') ?? '';
  return digits === '' || digits.length % 4 === 1 ? '' : atob(digits);
}

/**
 * Form of an API key: `pk_`, 27 base62 digits that hold 160 random bits, and 6 digits that hold the CRC-32 of
 * everything before them. A beacon token has the same form with `pb_`.
 * The checksum saves a lookup for mistyped, truncated and invented keys. It protects nothing: the random bits
 * do.
 */

export const KEY_RANDOM_BYTES = 20;

type KeyMark = 'pk_' | 'pb_';
const MARK_LENGTH = 3;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Fits because 62^27 > 2^160 and 62^6 > 2^32. */
const BODY_LENGTH = 27;
const CHECK_LENGTH = 6;
const KEY_LENGTH = MARK_LENGTH + BODY_LENGTH + CHECK_LENGTH;
const SHAPE = /^p[kb]_[0-9A-Za-z]{33}$/;
/** Six visible digits distinguish an account's keys and leave 124 bits unknown. */
const PREFIX_LENGTH = MARK_LENGTH + 6;

/** @param random exactly KEY_RANDOM_BYTES bytes from a cryptographic source */
export function formatKey(random: Uint8Array, mark: KeyMark = 'pk_'): string {
  if (random.length !== KEY_RANDOM_BYTES) throw new RangeError(`a key needs ${KEY_RANDOM_BYTES} random bytes`);
  const body = base62(
    random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n),
    BODY_LENGTH,
  );
  return `${mark}${body}${checkDigits(mark + body)}`;
}

export function isKeyText(text: string, mark: KeyMark = 'pk_'): boolean {
  if (text.length !== KEY_LENGTH || !text.startsWith(mark) || !SHAPE.test(text)) return false;
  const split = KEY_LENGTH - CHECK_LENGTH;
  return parseBase62(text, split) === crc32(text, split);
}

export const keyPrefix = (key: string): string => key.slice(0, PREFIX_LENGTH);

/**
 * Returns why a key is unusable. A revocation counts at once, because its time comes from another machine's
 * clock.
 */
export function keyFault(key: ApiKey, at: UnixMs): 'revoked' | 'expired' | undefined {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= at) return 'expired';
  return undefined;
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest /= 62n) digits = DIGITS.charAt(Number(rest % 62n)) + digits;
  return digits;
}

const checkDigits = (text: string): string => base62(BigInt(crc32(text, text.length)), CHECK_LENGTH);

const VALUE = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, DIGITS.indexOf(String.fromCharCode(code))));

function parseBase62(text: string, from: number): number {
  let value = 0;
  for (let at = from; at < text.length; at += 1) value = value * 62 + VALUE[text.charCodeAt(at)]!;
  return value;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crc32(text: string, end: number): number {
  let value = 0xffffffff;
  for (let at = 0; at < end; at += 1) value = (value >>> 8) ^ CRC_TABLE[(value ^ text.charCodeAt(at)) & 0xff]!;
  return (value ^ 0xffffffff) >>> 0;
}

const UNSEEN = /\p{C}/u;

/** Refuses Unicode category C: unseen characters could clear a terminal or imitate another name. */
export const isPlainName = (name: string): boolean => !UNSEEN.test(name);
