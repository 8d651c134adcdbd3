import type { CaptureBatch } from '../../core/evidence/observation.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { wordMask } from '../../core/ip/prefix.ts';

/**
 * A prefix as one database value that sorts by address, then length. IPv4 is word · 64 + bits, an integer
 * below 2^38; IPv6 is 16 bytes of address and one of length. SQLite sorts integers before bytes, so IPv4
 * comes first.
 */
export type PrefixKey = number | Uint8Array;

export const ipv4Key = (word: number, bits: number): number => word * 64 + bits;

function ipv6Key(w0: number, w1: number, w2: number, w3: number, bits: number): Uint8Array {
  const key = Buffer.allocUnsafe(17);
  key.writeUInt32BE(w0, 0);
  key.writeUInt32BE(w1, 4);
  key.writeUInt32BE(w2, 8);
  key.writeUInt32BE(w3, 12);
  key[16] = bits;
  return key;
}

export function keyOfNetwork(address: Address, bits: number): PrefixKey {
  if (address.family === 4) return ipv4Key((address.w0 & wordMask(bits)) >>> 0, bits);
  const word = (value: number, from: number): number => (value & wordMask(bits - from)) >>> 0;
  return ipv6Key(word(address.w0, 0), word(address.w1, 32), word(address.w2, 64), word(address.w3, 96), bits);
}

export function prefixOfKey(key: PrefixKey): Prefix {
  if (typeof key === 'number') return { family: 4, w0: Math.floor(key / 64), w1: 0, w2: 0, w3: 0, bits: key % 64 };
  const view = new DataView(key.buffer, key.byteOffset, 17);
  return {
    family: 6,
    w0: view.getUint32(0),
    w1: view.getUint32(4),
    w2: view.getUint32(8),
    w3: view.getUint32(12),
    bits: view.getUint8(16),
  };
}

export const keyText = (key: PrefixKey): string | number =>
  typeof key === 'number' ? key : Buffer.from(key).toString('latin1');

export function keyOfRow({ family, words, bits }: CaptureBatch, row: number): PrefixKey {
  const at = 4 * row;
  if (family[row] === 4) return ipv4Key(words[at]!, bits[row]!);
  return ipv6Key(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!, bits[row]!);
}

export function compareKeys(a: PrefixKey, b: PrefixKey): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : Buffer.compare(a, b);
}
