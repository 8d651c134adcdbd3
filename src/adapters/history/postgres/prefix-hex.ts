import { ipv4Key, type PrefixKey } from '../prefix-key.ts';

/** A prefix as PostgreSQL prints its bytes: family, address and length in hexadecimal, 12 or 36 digits. */
export type PrefixHex = string;

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

export const keyOfHex = (hex: PrefixHex): PrefixKey => keyOfBytes(Buffer.from(hex, 'hex'));

export const bitsOfHex = (hex: PrefixHex): number => Number.parseInt(hex.slice(-2), 16);

export const byteaOf = (key: PrefixKey): string => `\\x${Buffer.from(bytesOfKey(key)).toString('hex')}`;
