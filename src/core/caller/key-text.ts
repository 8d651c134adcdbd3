/**
 * Form of an API key: `pk_`, 27 base62 digits that hold 160 random bits, and 6 digits that hold the CRC-32 of
 * everything before them. A beacon token has the same form with `pb_`.
 * The checksum saves a lookup for mistyped, truncated and invented keys. It protects nothing: the random bits
 * do.
 */
import type { UnixMs } from '../units.ts';
import type { ApiKey } from './caller.ts';

export const KEY_RANDOM_BYTES = 20;

export type KeyMark = 'pk_' | 'pb_';
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
