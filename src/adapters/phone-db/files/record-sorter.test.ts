import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WORDS } from './record.ts';
import { RecordSorter } from './record-sorter.ts';

/** Records with few distinct leading words, so that ties and repeated numbers abound; word 7 is the place in the input. */
function records(count: number): Uint32Array {
  const words = new Uint32Array(count * WORDS);
  for (let row = 0; row < count; row += 1) {
    words.set([(((row * 2_654_435_761) >>> 0) % 500) << 23, row % 3, row % 2, 0, 0, 0, 1, row & 0xff], row * WORDS);
  }
  return words;
}

const sorted = (heldMax: number, words: Uint32Array): { readonly rows: string[]; readonly left: boolean } => {
  const parent = mkdtempSync(join(tmpdir(), 'pulse-sorter-'));
  const folder = join(parent, 'parts');
  try {
    const sorter = new RecordSorter(folder, heldMax);
    for (let at = 0; at < words.length; at += WORDS) sorter.add(words, at);
    const rows: string[] = [];
    for (const part of sorter.sorted())
      for (let at = 0; at < part.length; at += WORDS) rows.push(part.slice(at, at + WORDS).join());
    sorter.close();
    return { rows, left: existsSync(folder) };
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
};

test('records come out ascending, the last of equal numbers stays, in memory and spilled alike', () => {
  const words = records(20_000);
  const last = new Map<string, string>();
  for (let at = 0; at < words.length; at += WORDS) {
    const row = words.slice(at, at + WORDS);
    last.set(row.slice(0, 3).join(), row.join());
  }
  const expected = [...last.values()]
    .map((row) => row.split(',').map(Number))
    .sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!)
    .map((row) => row.join());
  assert.ok(expected.length < 20_000);
  assert.deepEqual(sorted(1e9, words), { rows: expected, left: false });
  assert.deepEqual(sorted(50_000, words), { rows: expected, left: false });
});

test('nothing given is nothing sorted, and deletions fall out', () => {
  assert.deepEqual(sorted(1e9, new Uint32Array(0)).rows, []);
  assert.deepEqual(sorted(1e9, Uint32Array.of(5, 1, 1, 0, 0, 0, 1, 3, 5, 1, 1, 0, 0, 0, 0, 0x100)).rows, []);
});
