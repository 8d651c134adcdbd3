import type { Address, Prefix } from '../../core/ip/address.ts';
import { mask32 } from '../../core/ip/prefix.ts';

/**
 * A prefix as one database value that sorts by address, then length: IPv4 word · 64 + bits (a whole number below 2^38),
 * IPv6 16 bytes of address and one of length. Numbers sort before bytes in SQLite, so IPv4 comes first.
 */
export type PrefixKey = number | Uint8Array;

export const ipv4Key = (word: number, bits: number): number => word * 64 + bits;

export function ipv6Key(w0: number, w1: number, w2: number, w3: number, bits: number): Uint8Array {
  const key = Buffer.allocUnsafe(17);
  key.writeUInt32BE(w0, 0);
  key.writeUInt32BE(w1, 4);
  key.writeUInt32BE(w2, 8);
  key.writeUInt32BE(w3, 12);
  key[16] = bits;
  return key;
}

/** Key of the `bits`-bit network that holds the address. */
export function keyOfNetwork(address: Address, bits: number): PrefixKey {
  if (address.family === 4) return ipv4Key((address.w0 & mask32(bits)) >>> 0, bits);
  const word = (value: number, from: number): number => (value & mask32(bits - from)) >>> 0;
  return ipv6Key(word(address.w0, 0), word(address.w1, 32), word(address.w2, 64), word(address.w3, 96), bits);
}

export function prefixOfKey(key: PrefixKey): Prefix {
  if (typeof key === 'number') return { family: 4, w0: Math.floor(key / 64), w1: 0, w2: 0, w3: 0, bits: key % 64 };
  const view = new DataView(key.buffer, key.byteOffset, 17);
  return { family: 6, w0: view.getUint32(0), w1: view.getUint32(4), w2: view.getUint32(8), w3: view.getUint32(12), bits: view.getUint8(16) };
}

export function compareKeys(a: PrefixKey, b: PrefixKey): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -1;
  return typeof b === 'number' ? 1 : Buffer.compare(a, b);
}

const PACKED_4 = 5;
const PACKED_6 = 17;

/** Keys in bytes for the journal: a version byte (so that no list is empty), then for each a byte 4 or 6 and 5 or 17 bytes. */
export function packKeys(keys: readonly PrefixKey[]): Uint8Array {
  let size = 1;
  for (const key of keys) size += 1 + (typeof key === 'number' ? PACKED_4 : PACKED_6);
  const packed = Buffer.allocUnsafe(size);
  packed[0] = 1;
  let at = 1;
  for (const key of keys) {
    if (typeof key === 'number') {
      packed[at] = 4;
      packed.writeUIntBE(key, at + 1, PACKED_4);
      at += 1 + PACKED_4;
    } else {
      packed[at] = 6;
      packed.set(key, at + 1);
      at += 1 + PACKED_6;
    }
  }
  return packed;
}

export function unpackKeys(packed: Uint8Array): PrefixKey[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const keys: PrefixKey[] = [];
  for (let at = 1; at < bytes.length; ) {
    if (bytes[at] === 4) {
      keys.push(bytes.readUIntBE(at + 1, PACKED_4));
      at += 1 + PACKED_4;
    } else {
      keys.push(bytes.subarray(at + 1, at + 1 + PACKED_6));
      at += 1 + PACKED_6;
    }
  }
  return keys;
}
