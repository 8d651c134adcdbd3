import type { Address } from '../ip/address.ts';
import type { CaptureBatch } from './observation.ts';

export function batchAddress({ family, words }: CaptureBatch, row: number): Address {
  const [w0, w1, w2, w3] = words.subarray(4 * row, 4 * row + 4) as unknown as readonly [number, number, number, number];
  return { family: family[row] === 4 ? 4 : 6, w0, w1, w2, w3 };
}
