import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomWords } from '../../../../test/support/random.ts';
import { HASH_WORDS } from '../number-key.ts';
import { findInGeneration, findManyInGeneration, type GenerationWords, wordsOf } from './find-in-generation.ts';
import { loadGeneration } from './generation.ts';
import { type RecordTables, WORDS } from './record.ts';
import { verifyGeneration } from './verify-generation.ts';
import { writeGeneration } from './write-generation.ts';

type Hash = readonly [w0: number, w1: number, w2: number];
const byWords = (a: Hash, b: Hash): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** A generation of these hashes, by way of a file. */
async function generationOf(hashes: readonly Hash[]): Promise<GenerationWords> {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-generation-'));
  try {
    const words = new Uint32Array(hashes.length * WORDS);
    hashes.forEach((hash, row) => {
      words.set(hash, row * WORDS);
    });
    const path = join(folder, '1.gen');
    writeGeneration(
      path,
      [words],
      { library: 'cn', keyId: 'k', dataVersion: '1', loadedAt: 0 },
      { tagSets: [[]], cards: [{}] },
    );
    return wordsOf(await loadGeneration(path, 'cn', 'k'));
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

test('every record is found at its row and nothing else is found, with leading words that meet and buckets that are crowded', async () => {
  const random = randomWords(1);
  for (const count of [0, 1, 7, 64, 5000]) {
    const held = new Map<string, Hash>();
    while (held.size < count) {
      // A third spread evenly, a third crowded in one bucket, a third that share their leading word.
      const w0 =
        [random(), (0x8000_0000 + (random() >>> 24)) >>> 0, [0, 0x7fff_ffff, 0xffff_ffff][held.size % 3] ?? 0][
          held.size % 3
        ] ?? 0;
      const hash: Hash = [w0, random(), random()];
      held.set(hash.join(), hash);
    }
    const sorted = [...held.values()].sort(byWords);
    const generation = await generationOf(sorted);
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

test('verifying refuses what loading accepts: records out of order, a wrong directory, numbers past the tables, deletions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-generation-'));
  try {
    const sound = [1, 2, 3, 0x8000_0000].flatMap((w0) => [w0, 5, 6, 1, 1, 0, 9, 3]);
    const tables = { tagSets: [[], [101]], cards: [{}, { carrier: 'x' }] } as unknown as RecordTables;
    let number = 0;
    const faultsOf = async (
      change: (words: number[], tables: { tagSets: number[][]; cards: object[] }) => void,
    ): Promise<readonly string[]> => {
      const words = [...sound];
      const own = structuredClone(tables) as unknown as { tagSets: number[][]; cards: object[] };
      change(words, own);
      const path = join(folder, `${++number}.gen`);
      writeGeneration(
        path,
        [Uint32Array.from(words)],
        { library: 'cn', keyId: 'k', dataVersion: '1', loadedAt: 0 },
        own as unknown as RecordTables,
      );
      await loadGeneration(path, 'cn', 'k');
      return verifyGeneration(path, 'cn', 'k');
    };
    assert.deepEqual(await faultsOf(() => {}), []);
    for (const [change, fault] of [
      [(words) => words.splice(0, 1, 2), /record 1 does not follow/],
      [(words) => words.splice(8, 1, 9), /record 2 does not follow/],
      [(words) => words.splice(3, 1, 2), /record 0 names tag set 2 of 2/],
      [(words) => words.splice(4, 1, 7), /record 0 names card facts 7 of 2/],
      [(words) => words.splice(6, 1, 0), /record 0 was never active/],
      [(words) => words.splice(7, 1, 0x100), /record 0 is a deletion/],
      [(words) => words.splice(7, 1, 10), /record 0 has risk 10/],
      [(_, own) => own.tagSets.splice(0, 1, [7]), /tag set 0/],
      [(_, own) => own.cards.splice(0, 1, { carrier: 'y' }), /card facts 0/],
    ] as readonly [Parameters<typeof faultsOf>[0], RegExp][])
      assert.match((await faultsOf(change)).join(), fault);
    const path = join(folder, '1.gen');
    const bytes = readFileSync(path);
    bytes[100] = bytes[100]! ^ 1;
    writeFileSync(path, bytes);
    await assert.rejects(verifyGeneration(path, 'cn', 'k'), /damaged/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
