import type { Address } from '../ip/address.ts';
import { SlotIndex } from '../kit/slot-index.ts';
import { type UnixMs, unixMs } from '../units.ts';
import type { CaptureBatch, Observation } from './observation.ts';

export function dropDuplicates(batch: CaptureBatch): CaptureBatch {
  const index = new SlotIndex((id) => hashOf(batch, id - 1), batch.length);
  const kept = new Uint32Array(batch.length);
  let length = 0;
  for (let row = 0; row < batch.length; row++) {
    const hash = hashOf(batch, row);
    let id = index.first(hash);
    while (id !== 0 && !isSame(batch, id - 1, row)) id = index.next();
    if (id !== 0) continue;
    index.add(hash, row + 1);
    kept[length++] = row;
  }
  return length === batch.length ? copyOf(batch) : select(batch, kept.subarray(0, length));
}

function hashOf({ words, bits, type, pool, capturedAt }: CaptureBatch, row: number): number {
  let hash = Math.imul(bits[row]! + 131 * type[row]! + 7 * pool[row]!, 0x9e3779b1);
  for (let word = 4 * row; word < 4 * row + 4; word++) {
    hash = Math.imul(hash ^ words[word]!, 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  const at = capturedAt[row]!;
  if (!Number.isNaN(at)) hash = Math.imul(hash ^ (at % 0x7fffffff), 0xc2b2ae35);
  return hash ^ (hash >>> 13);
}

function isSame({ family, words, bits, type, pool, capturedAt }: CaptureBatch, a: number, b: number): boolean {
  return (
    words[4 * a] === words[4 * b] &&
    words[4 * a + 1] === words[4 * b + 1] &&
    words[4 * a + 2] === words[4 * b + 2] &&
    words[4 * a + 3] === words[4 * b + 3] &&
    bits[a] === bits[b] &&
    family[a] === family[b] &&
    type[a] === type[b] &&
    pool[a] === pool[b] &&
    Object.is(capturedAt[a], capturedAt[b])
  );
}

const copyOf = ({ length, family, words, bits, type, capturedAt, pool, pools }: CaptureBatch): CaptureBatch => ({
  length,
  family: family.slice(),
  words: words.slice(),
  bits: bits.slice(),
  type: type.slice(),
  capturedAt: capturedAt.slice(),
  pool: pool.slice(),
  pools,
});

function select(batch: CaptureBatch, rows: Uint32Array): CaptureBatch {
  const { length } = rows;
  const words = new Uint32Array(4 * length);
  for (let row = 0; row < length; row++)
    for (let word = 0; word < 4; word++) words[4 * row + word] = batch.words[4 * rows[row]! + word]!;
  const pick = <A extends Uint8Array | Uint16Array | Float64Array>(into: A, from: A): A => {
    for (let row = 0; row < length; row++) into[row] = from[rows[row]!]!;
    return into;
  };
  return {
    length,
    words,
    family: pick(new Uint8Array(length), batch.family),
    bits: pick(new Uint8Array(length), batch.bits),
    type: pick(new Uint8Array(length), batch.type),
    capturedAt: pick(new Float64Array(length), batch.capturedAt),
    pool: pick(new Uint16Array(length), batch.pool),
    pools: batch.pools,
  };
}

/**
 * Returns the observations with every capture moved back to a multiple of `resolutionMs`. Results computed
 * from these reveal a capture's time only to that resolution, however many values are published. A resolution
 * that divides a day keeps the date and so the observed days.
 */
export const coarseCaptures = (observations: readonly Observation[], resolutionMs: number): readonly Observation[] =>
  observations.map((row) => ({ ...row, capturedAt: floorTo(row.capturedAt, resolutionMs) }));

export const floorTo = (at: number, resolutionMs: number): UnixMs =>
  unixMs(Math.floor(at / resolutionMs) * resolutionMs);

export const ceilTo = (at: number, resolutionMs: number): UnixMs => unixMs(Math.ceil(at / resolutionMs) * resolutionMs);

export function batchAddress({ family, words }: CaptureBatch, row: number): Address {
  const [w0, w1, w2, w3] = words.subarray(4 * row, 4 * row + 4) as unknown as readonly [number, number, number, number];
  return { family: family[row] === 4 ? 4 : 6, w0, w1, w2, w3 };
}

/**
 * Returns the cost of a prefix against a budget of addresses, a whole number. An IPv4 prefix costs its
 * addresses. An IPv6 prefix costs as much as a comparable IPv4 prefix: a /64 one address, a /48 a /24, and a
 * /32 a /16.
 */
export const addressCount = (family: 4 | 6, bits: number): number =>
  2 ** (family === 4 ? 32 - bits : Math.ceil(Math.max(0, 64 - bits) / 2));
