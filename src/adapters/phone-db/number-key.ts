import { createCipheriv, createHmac } from 'node:crypto';

/** Key of the numbers at rest. `id` names it in file headers and reveals nothing about it. */
export interface NumberKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Bytes of one keyed hash. */
export const HASH_BYTES = 16;
const DIGITS_MAX = 20;

/** The libraries' key from 32 secret bytes. Another secret is another key: the libraries are loaded again then. */
export function numberKey(bytes: Uint8Array): NumberKey {
  if (bytes.length !== 32) throw new RangeError('the key of the phone libraries has 32 bytes');
  return { bytes: Buffer.from(bytes), id: createHmac('sha256', bytes).update('key id').digest('hex').slice(0, 16) };
}

/**
 * Keyed hashes of numbers, 16 bytes each, one after another.
 *
 * One AES-256 block a number over an encoding that is different for every number (count of digits, then the digits, four bits each). A block cipher
 * is a permutation, so two numbers never meet in 128 bits, and without the key the mainland's 5.2 thousand million mobiles cannot be walked.
 * No block repeats in a library and nothing is decrypted, so the plain block mode is the whole construction. Ten times faster than an HMAC.
 * @param numbers E.164 digits without the plus, 1 to 20 each
 */
export function hashNumbers(key: NumberKey, numbers: readonly string[]): Buffer {
  const blocks = Buffer.alloc(numbers.length * HASH_BYTES);
  numbers.forEach((digits, index) => {
    writeBlock(blocks, index * HASH_BYTES, digits);
  });
  const cipher = createCipheriv('aes-256-ecb', key.bytes, null).setAutoPadding(false);
  return cipher.update(blocks);
}

function writeBlock(blocks: Buffer, at: number, digits: string): void {
  if (digits.length === 0 || digits.length > DIGITS_MAX) throw new RangeError('a number has 1 to 20 digits');
  blocks[at] = digits.length;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) throw new RangeError('a number has digits only');
    const place = at + 1 + (index >> 1);
    blocks[place] = (blocks[place] ?? 0) | ((index & 1) === 0 ? digit << 4 : digit);
  }
}
