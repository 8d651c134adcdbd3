import type { Address, Prefix } from '../../../core/ip/address.ts';
import { prefixOf } from '../../../core/ip/prefix.ts';
import { ipv4Key, type PrefixKey } from '../prefix-key.ts';

/**
 * A prefix as PostgreSQL prints and reads its bytes: family, address, length in hexadecimal, 12 or 36 digits. Texts compare as the bytes do.
 */
export type PrefixHex = string;

const word = (value: number): string => value.toString(16).padStart(8, '0');
const byte = (value: number): string => value.toString(16).padStart(2, '0');

const hexOfPrefix = ({ family, w0, w1, w2, w3, bits }: Prefix): PrefixHex =>
  family === 4 ? `04${word(w0)}${byte(bits)}` : `06${word(w0)}${word(w1)}${word(w2)}${word(w3)}${byte(bits)}`;

/** The bytes themselves. */
export function bytesOfKey(key: PrefixKey): Uint8Array {
  if (typeof key !== 'number') return Buffer.concat([IPV6, key]);
  const bytes = Buffer.allocUnsafe(6);
  bytes[0] = 4;
  bytes[bytes.writeUInt32BE(Math.floor(key / 64), 1)] = key % 64;
  return bytes;
}

const IPV6 = Buffer.from([6]);

export const keyOfBytes = (bytes: Buffer): PrefixKey =>
  bytes[0] === 4 ? ipv4Key(bytes.readUInt32BE(1), bytes[5]!) : bytes.subarray(1);

/** Key of the `bits`-bit network that holds the address. */
export const hexOfNetwork = (address: Address, bits: number): PrefixHex => hexOfPrefix(prefixOf(address, bits));

export const keyOfHex = (hex: PrefixHex): PrefixKey =>
  hex.length === 12 ? ipv4Key(Number.parseInt(hex.slice(2, 10), 16), bitsOfHex(hex)) : Buffer.from(hex.slice(2), 'hex');

export const bitsOfHex = (hex: PrefixHex): number => Number.parseInt(hex.slice(-2), 16);

/** As a parameter of type bytea. */
export const byteaOf = (hex: PrefixHex): string => `\\x${hex}`;
