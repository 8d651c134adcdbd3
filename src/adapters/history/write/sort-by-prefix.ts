import type { CaptureBatch } from '../../../core/evidence/observation.ts';

/**
 * Returns the row numbers in key order, so that neighbours are written to the same page. IPv4 is sorted by
 * three radix passes.
 */
export function sortByPrefix(batch: CaptureBatch): Uint32Array {
  const { length, family, words, bits } = batch;
  let ipv4 = 0;
  for (let row = 0; row < length; row++) if (family[row] === 4) ipv4++;
  const order = new Uint32Array(length);
  let four = 0;
  let six = ipv4;
  for (let row = 0; row < length; row++) order[family[row] === 4 ? four++ : six++] = row;
  const sorted4 = radixByWord(order.subarray(0, ipv4), words);
  order.set(sorted4);
  sortEqualWords(order, ipv4, words, bits);
  order.subarray(ipv4).sort((a, b) => compareRows(a, b, words, bits));
  return order;
}

const RADIX_BITS = 11;
const BUCKETS = 1 << RADIX_BITS;

function radixByWord(rows: Uint32Array, words: Uint32Array): Uint32Array {
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  const starts = new Uint32Array(BUCKETS);
  for (let shift = 0; shift < 32; shift += RADIX_BITS) {
    starts.fill(0);
    for (const row of from) starts[(words[4 * row]! >>> shift) & (BUCKETS - 1)]!++;
    let sum = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const count = starts[bucket]!;
      starts[bucket] = sum;
      sum += count;
    }
    for (const row of from) to[starts[(words[4 * row]! >>> shift) & (BUCKETS - 1)]!++] = row;
    [from, to] = [to, from];
  }
  return from;
}

function sortEqualWords(order: Uint32Array, end: number, words: Uint32Array, bits: Uint8Array): void {
  for (let start = 0; start < end; ) {
    let stop = start + 1;
    let sorted = true;
    while (stop < end && words[4 * order[stop]!] === words[4 * order[start]!]) {
      if (bits[order[stop]!]! < bits[order[stop - 1]!]!) sorted = false;
      stop++;
    }
    if (!sorted) order.subarray(start, stop).sort((a, b) => bits[a]! - bits[b]!);
    start = stop;
  }
}

function compareRows(a: number, b: number, words: Uint32Array, bits: Uint8Array): number {
  for (let word = 0; word < 4; word++) {
    const difference = words[4 * a + word]! - words[4 * b + word]!;
    if (difference !== 0) return difference;
  }
  return bits[a]! - bits[b]!;
}
