import { SlotIndex } from '../kit/slot-index.ts';
import type { CaptureBatch } from './observation.ts';

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
