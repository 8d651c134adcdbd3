import type { Address, Prefix } from '../../../core/ip/address.ts';
import { prefixOf } from '../../../core/ip/prefix.ts';
import { ipv4Key, type PrefixKey } from '../prefix-key.ts';

/**
 * A prefix as PostgreSQL prints and reads its bytes: family, address, length in hexadecimal, 12 or 36 digits. Texts compare as the bytes do.
 */
export type PrefixHex = string;

const word = (value: number): string => value.toString(16).padStart(8, '0');
const byte = (value: number): string => value.toString(16).padStart(2, '0');

export const hexOfPrefix = ({ family, w0, w1, w2, w3, bits }: Prefix): PrefixHex =>
  family === 4 ? `04${word(w0)}${byte(bits)}` : `06${word(w0)}${word(w1)}${word(w2)}${word(w3)}${byte(bits)}`;

/** The bytes themselves. */
export function bytesOfPrefix({ family, w0, w1, w2, w3, bits }: Prefix): Uint8Array {
  const bytes = Buffer.allocUnsafe(family === 4 ? 6 : 18);
  bytes[0] = family;
  let end = bytes.writeUInt32BE(w0, 1);
  if (family === 6) for (const word of [w1, w2, w3]) end = bytes.writeUInt32BE(word, end);
  bytes[end] = bits;
  return bytes;
}

/** Key of the `bits`-bit network that holds the address. */
export const hexOfNetwork = (address: Address, bits: number): PrefixHex => hexOfPrefix(prefixOf(address, bits));

export const keyOfHex = (hex: PrefixHex): PrefixKey =>
  hex.length === 12 ? ipv4Key(Number.parseInt(hex.slice(2, 10), 16), bitsOfHex(hex)) : Buffer.from(hex.slice(2), 'hex');

export const bitsOfHex = (hex: PrefixHex): number => Number.parseInt(hex.slice(-2), 16);

/** As a parameter of type bytea. */
export const byteaOf = (hex: PrefixHex): string => `\\x${hex}`;
