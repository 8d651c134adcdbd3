import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HASH_WORDS } from '../number-key.ts';
import { findInGeneration, findManyInGeneration, type GenerationWords, loadGeneration, wordsOf, writeGeneration } from './generation.ts';
import { WORDS } from './record.ts';

type Hash = readonly [w0: number, w1: number, w2: number];
const byWords = (a: Hash, b: Hash): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** A generation of these hashes, by way of a file. */
function generationOf(hashes: readonly Hash[]): GenerationWords {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-generation-'));
  try {
    const words = new Uint32Array(hashes.length * WORDS);
    hashes.forEach((hash, row) => {
      words.set(hash, row * WORDS);
    });
    const path = join(folder, '1.gen');
    writeGeneration(path, [words], { library: 'cn', keyId: 'k', dataVersion: '1', loadedAt: 0 }, { tagSets: [[]], cards: [{}] });
    return wordsOf(loadGeneration(path, 'cn', 'k'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One after another and all together must say the same. */
function rowsOf(generation: GenerationWords, hashes: readonly Hash[]): number[] {
  const words = new Uint32Array(hashes.length * HASH_WORDS);
  hashes.forEach((hash, index) => {
    words.set(hash, index * HASH_WORDS);
  });
  const rows = [...findManyInGeneration(generation, words)];
  assert.deepEqual(
    rows,
    hashes.map(([w0, w1, w2]) => findInGeneration(generation, w0, w1, w2)),
  );
  return rows;
}

test('every record is found at its row and nothing else is found, with leading words that meet and buckets that are crowded', () => {
  let state = 1;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  for (const count of [0, 1, 7, 64, 5000]) {
    const held = new Map<string, Hash>();
    while (held.size < count) {
      // A third spread evenly, a third crowded in one bucket, a third that share their leading word.
      const w0 = [random(), (0x8000_0000 + (random() >>> 24)) >>> 0, [0, 0x7fff_ffff, 0xffff_ffff][held.size % 3] ?? 0][held.size % 3] ?? 0;
      const hash: Hash = [w0, random(), random()];
      held.set(hash.join(), hash);
    }
    const sorted = [...held.values()].sort(byWords);
    const generation = generationOf(sorted);
    assert.deepEqual(
      rowsOf(generation, sorted),
      sorted.map((_, row) => row),
    );
    const absent = [...sorted, [0, 0, 0] as Hash, [0xffff_ffff, 0xffff_ffff, 0xffff_ffff] as Hash]
      .flatMap(([w0, w1, w2]): Hash[] => [
        [w0, w1, (w2 ^ 1) >>> 0],
        [w0, (w1 ^ 1) >>> 0, w2],
        [(w0 ^ 1) >>> 0, w1, w2],
        [(w0 + 0x4000_0000) >>> 0, w1, w2],
      ])
      .filter((hash) => !held.has(hash.join()));
    assert.deepEqual(
      rowsOf(generation, absent),
      absent.map(() => -1),
    );
  }
});
