const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Makes an id such as `acc_7k3m…`: 80 random bits in Crockford's base 32, lower case; not a secret.
 * @param random source of random bytes
 */
export const newId = (
  kind: 'acc' | 'key' | 'fac' | 'fbk' | 'bcn' | 'ovr' | 'msg' | 'lst',
  random: (bytes: number) => Uint8Array,
): string => `${kind}_${randomCode(random)}`;

/** Makes 16 of those digits from 80 random bits, short enough to type. @param random source of random bytes */
export function randomCode(random: (bytes: number) => Uint8Array): string {
  let value = random(10).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let digits = '';
  for (let at = 0; at < 16; at += 1, value >>= 5n) digits = DIGITS.charAt(Number(value & 31n)) + digits;
  return digits;
}
