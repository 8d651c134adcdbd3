/** Publishers choose the addresses of their lists: tables stay short for the worst list, and answer rightly for any. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { randomBelow, randomWords } from '../../../test/support/random.ts';
import type { Address } from '../../core/ip/address.ts';
import type { UnixMs } from '../../core/units.ts';
import { AddressHash, type HashSeed, nextSeed, SEED_WORDS } from './address-hash.ts';
import { BUCKET_MAX, EvidenceBuilder } from './evidence-builder.ts';
import { type EvidenceColumns, type LiveSource, ROW_OP } from './evidence-delta.ts';
import { type EvidenceImage, openEvidence, verifyEvidence } from './evidence-image.ts';
import { EvidenceRowBuffer } from './evidence-row-buffer.ts';
import type { HostTable } from './host-table.ts';
import { LiveEvidence } from './live-evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';
import { CHAIN_MAX, Overlay } from './overlay.ts';
import { sortEntries } from './sort-entries.ts';

const NOW = Date.UTC(2026, 10, 22) as UnixMs;
const SOURCE: LiveSource = { id: 'list', family: 'list', lastRunAt: NOW, runDays: 1 };
const META = { dataVersion: 'v', builtAt: NOW, store: 'store', sequence: 1, mark: 'm1' };
/** The worst seed there is: every address has hash 0, or almost. */
const ZERO: HashSeed = Array.from({ length: SEED_WORDS }, () => 0);

/** The mix of format version 2 before it had a seed: every collision can be computed. */
function hash32WithoutSeed(value: number): number {
  let h = value ^ (value >>> 15);
  h = Math.imul(h, 0x2c1b3c6d);
  h ^= h >>> 12;
  h = Math.imul(h, 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}
const hash128WithoutSeed = (w0: number, w1: number, w2: number, w3: number): number =>
  hash32WithoutSeed(
    Math.imul(w0, 0x9e3779b1) ^
      hash32WithoutSeed(
        Math.imul(w1, 0x85ebca77) ^ hash32WithoutSeed(Math.imul(w2, 0xc2b2ae3d) ^ hash32WithoutSeed(w3 ^ 0x27d4eb2f)),
      ),
  );

/** The number that undoes a multiplication by an odd one. */
function inverse(odd: number): number {
  let x = odd;
  for (let i = 0; i < 5; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
}

/** Addresses of one /64 whose hash without a seed is the same in all 32 bits. */
function chosen6(count: number): Address[] {
  const undo = inverse(0xc2b2ae3d);
  return Array.from({ length: count }, (_, i) => {
    const w3 = (i * 0x01000193) >>> 0;
    return {
      family: 6,
      w0: 0x20010db8,
      w1: 7,
      w2: Math.imul(undo, 0x12345678 ^ hash32WithoutSeed(w3 ^ 0x27d4eb2f)) >>> 0,
      w3,
    };
  });
}

/** IPv4 addresses that share a bucket under this seed: only a program that has it can make them. */
function colliding4(seed: HashSeed, count: number): Address[] {
  const undo = inverse(seed[0]! | 1);
  return Array.from({ length: count }, (_, i) => ({ family: 4, w0: Math.imul(undo, i) >>> 0, w1: 0, w2: 0, w3: 0 }));
}

function rowsOf(addresses: readonly Address[]): EvidenceColumns {
  const buffer = new EvidenceRowBuffer(16);
  for (const { family, w0, w1, w2, w3 } of addresses)
    buffer.row(buffer.prefix(family, w0, w1, w2, w3, family === 4 ? 32 : 128), ROW_OP.fixed, 0, 0, 0, NOW, 1);
  return buffer.copy();
}

function compile(addresses: readonly Address[], seed: HashSeed): EvidenceImage {
  const builder = new EvidenceBuilder();
  builder.source(SOURCE);
  builder.add(rowsOf(addresses));
  return openEvidence(builder.compile(META, seed).buffer);
}

function overlayOf(addresses: readonly Address[], seed: HashSeed): Overlay {
  const overlay = new Overlay(seed);
  for (const { family, w0, w1, w2, w3 } of addresses) {
    overlay.at(family, w0, w1, w2, w3, family === 4 ? 32 : 128);
    overlay.add(ROW_OP.fixed, 0, 0, 0, NOW, 1);
  }
  return overlay;
}

const bucketLengths = ({ buckets }: HostTable): number[] => [...buckets.subarray(1)].map((end, b) => end - buckets[b]!);
/** Comparisons of compiling at most and looking all of them up reads: grows with the square of a bucket. */
const comparisons = (lengths: readonly number[]): number => lengths.reduce((sum, length) => sum + length * length, 0);

function assertAllFound(image: EvidenceImage, addresses: readonly Address[]): void {
  assert.deepEqual(verifyEvidence(image), []);
  const live = new LiveEvidence(image, FIXED_SEED);
  for (const address of addresses) assert.equal(live.observations(address).length, 1);
}

test('8,000 addresses of one /64 that collided without a seed compile and are found in linear work', () => {
  const addresses = chosen6(8000);
  const hashes = new Set(addresses.map(({ w0, w1, w2, w3 }) => hash128WithoutSeed(w0, w1, w2, w3)));
  assert.equal(hashes.size, 1, 'the addresses collide in the hash without a seed');
  const image = compile(addresses, FIXED_SEED);
  assertAllFound(image, addresses);
  const lengths = bucketLengths(image.hosts6);
  assert.ok(Math.max(...lengths) <= BUCKET_MAX);
  assert.ok(comparisons(lengths) < 16 * addresses.length, `${comparisons(lengths)} comparisons`);
});

test('an overlay of chosen addresses has short chains and finds each of them', () => {
  const addresses = chosen6(4000);
  const overlay = overlayOf(addresses, FIXED_SEED);
  assert.ok(overlay.longestChain <= CHAIN_MAX, `${overlay.longestChain} in one slot`);
  for (const address of addresses) assert.equal(overlay.match(address), 1);
  assert.equal(overlay.match({ ...addresses[0]!, w3: 5 }), 0);
});

test('over many seeds, addresses chosen without the seed share buckets as rarely as the bound says', () => {
  // Keys that would break plain multiplication modulo 2^32: differences in high bits of several words; and neighbours, and steps.
  const sets: Record<string, Address[]> = {
    'collided without a seed': chosen6(1024),
    'high bits of two words': Array.from({ length: 1024 }, (_, i) => ({
      family: 6,
      w0: 0x20010db8,
      w1: 0,
      w2: ((i & 31) << 27) >>> 0,
      w3: ((i >> 5) << 27) >>> 0,
    })),
    neighbours: Array.from({ length: 1024 }, (_, i) => ({ family: 6, w0: 0x20010db8, w1: 0, w2: 0, w3: i })),
  };
  const shift = 32 - 8;
  const seeds = 300;
  for (const [name, addresses] of Object.entries(sets)) {
    let squares = 0;
    for (let n = 0, seed = FIXED_SEED; n < seeds; n++, seed = nextSeed(seed)) {
      const hash = new AddressHash(seed);
      const lengths = new Array<number>(256).fill(0);
      for (const { w0, w1, w2, w3 } of addresses) lengths[hash.ipv6(w0, w1, w2, w3) >>> shift]! += 1;
      squares += comparisons(lengths);
    }
    // n + n² · 2 / buckets, on average.
    assert.ok(squares / seeds < 1024 + (2 * 1024 * 1024) / 256, `${name}: ${squares / seeds}`);
  }
});

test('a seed that is bad for its addresses is replaced, in an image and in an overlay', () => {
  const random = randomWords(5);
  const addresses = [
    ...chosen6(2000),
    ...Array.from(
      { length: 2000 },
      (): Address => ({ family: 6, w0: 0x20010db8, w1: random(), w2: random(), w3: random() }),
    ),
  ];
  const image = compile(addresses, ZERO);
  assert.notDeepEqual(image.seed, ZERO);
  assertAllFound(image, addresses);
  assert.ok(Math.max(...bucketLengths(image.hosts6)) <= BUCKET_MAX);
  const overlay = overlayOf(addresses, ZERO);
  assert.ok(overlay.longestChain <= CHAIN_MAX);
  for (const address of addresses) assert.equal(overlay.match(address), 1);
});

test('a merge keeps the seed of its image, unless it made a bucket long', () => {
  const few = colliding4(nextSeed(FIXED_SEED), 500);
  const base = compile(few, FIXED_SEED);
  const delta = (addresses: readonly Address[]) => ({
    ...rowsOf(addresses),
    ...META,
    sequence: 2,
    mark: 'm2',
    sources: [SOURCE],
    pools: [''],
  });
  const random = randomWords(8);
  const usual = Array.from({ length: 2000 }, (): Address => ({ family: 4, w0: random(), w1: 0, w2: 0, w3: 0 }));
  const kept = openEvidence(mergeEvidence(base, delta(usual), NOW).bytes.buffer);
  assert.deepEqual(kept.seed, FIXED_SEED);
  assertAllFound(kept, [...few, ...usual]);
  const bad = colliding4(FIXED_SEED, 4000);
  const replaced = openEvidence(mergeEvidence(base, delta(bad), NOW).bytes.buffer);
  assert.notDeepEqual(replaced.seed, FIXED_SEED);
  assertAllFound(replaced, [...few, ...bad]);
  assert.ok(Math.max(...bucketLengths(replaced.hosts4)) <= BUCKET_MAX);
});

test('thousands of rows of one address are sorted and kept once', () => {
  const random = randomBelow(4);
  const builder = new EvidenceBuilder();
  builder.source(SOURCE);
  const pools = Array.from({ length: 5000 }, (_, i) => builder.pool(`pool ${i}`)).sort(() => random(3) - 1);
  const buffer = new EvidenceRowBuffer(16);
  for (const pool of pools)
    buffer.row(buffer.prefix(4, 0x08080808, 0, 0, 0, 32), ROW_OP.fixed, 0, 0, pool, NOW - random(1000), 1);
  builder.add(buffer.columns());
  const image = openEvidence(builder.compile(META, FIXED_SEED).buffer);
  assert.deepEqual(verifyEvidence(image), []);
  assert.equal(image.hosts4.count, 1);
  let rows = 0;
  image.eachRow(image.hosts4.entries[1]!, () => rows++);
  assert.equal(rows, 5000);
});

test('sorting keeps the order of equal keys, in short lists and long ones', () => {
  for (const count of [0, 1, 2, 24, 25, 700]) {
    const random = randomBelow(count + 1);
    // A margin on both sides must stay untouched.
    const words = Uint32Array.from({ length: 3 * (count + 2) }, (_, i) => (i % 3 === 2 ? i : random(6) * 0x3000_0000));
    const entries = Array.from({ length: count + 2 }, (_, i) => [...words.subarray(3 * i, 3 * i + 3)]);
    const middle = entries.slice(1, -1).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
    sortEntries(words, 1, count + 1, 3, 2);
    assert.deepEqual([...words], [entries[0]!, ...middle, entries.at(-1)!].flat());
  }
});
