import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { type EvidenceDelta, NO_POSITION, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { mergeEvidence } from '../../engine/evidence/merge-evidence.ts';
import { EvidenceInTurns } from './thread-data.ts';

const NOW = unixMs(1_800_000_000_000);
const EMPTY = emptyEvidence({ dataVersion: 'v0', builtAt: NOW, ...NO_POSITION }, FIXED_SEED);
const address = (n: number) => ({ family: 4 as const, w0: 0x0100_0000 + n, w1: 0, w2: 0, w3: 0 });

/** Returns a delta that clears each address and captures it twice, in two pools. */
function delta(sequence: number, addresses: readonly number[]): EvidenceDelta {
  const buffer = new EvidenceRowBuffer();
  for (const n of addresses) {
    const row = (): number => buffer.prefix(4, address(n).w0, 0, 0, 0, 32);
    buffer.row(row(), ROW_OP.clear, 0, 0, 0, 0, 0);
    for (const pool of [0, 1]) buffer.row(row(), ROW_OP.fixed, 0, 0, pool, NOW + sequence, 1);
  }
  const sources = [{ id: 's', family: 's', lastRunAt: unixMs(0), runDays: 0 }];
  return {
    ...buffer.copy(),
    store: 'store',
    sequence,
    mark: `m${sequence}`,
    dataVersion: `v${sequence}`,
    sources,
    pools: ['', 'pool'],
  };
}

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
const imageOf = (...deltas: readonly EvidenceDelta[]): SharedArrayBuffer => {
  let image = EMPTY;
  for (const one of deltas) {
    const { bytes } = mergeEvidence(image, one, NOW);
    const shared = new SharedArrayBuffer(bytes.byteLength);
    new Uint8Array(shared).set(bytes);
    image = openEvidence(shared);
  }
  return image.image.buffer as SharedArrayBuffer;
};

test('a large delta is taken in turns, between which each address answers as before or as after it, and the version moves last', async () => {
  const heard: boolean[] = [];
  const evidence = new EvidenceInTurns(new LiveEvidence(EMPTY, FIXED_SEED), (isImage) => heard.push(isImage));
  evidence.take({ type: 'delta', delta: delta(1, range(0, 10)) });
  assert.deepEqual([heard, evidence.live.sequence], [[false], 1], 'a small one is visible at once');
  evidence.take({ type: 'delta', delta: delta(2, range(5, 3000)) });
  evidence.take({ type: 'delta', delta: delta(3, [7]) });
  const seen: number[] = [];
  for (let turns = 0; evidence.live.sequence < 3 && turns < 1000; turns++) {
    const counts = new Set(range(0, 3005).map((n) => evidence.live.observations(address(n)).length));
    for (const count of counts) assert.ok(count === 0 || count === 2, `${count} rows of one address`);
    seen.push(range(10, 2995).filter((n) => evidence.live.observations(address(n)).length > 0).length);
    await new Promise(setImmediate);
  }
  assert.ok(seen.length > 3, `${seen.length} turns`);
  assert.ok(seen[0]! > 0 && seen[0]! < 2995, 'not all at once');
  assert.equal(evidence.live.dataVersion, 'v3');
  assert.equal(evidence.live.observations(address(7))[0]!.capturedAt, NOW + 3);
  assert.deepEqual(heard, [false, false, false]);
});

test('the view over the old image goes on answering until the new one has seen the later deltas', async () => {
  const [first, second] = [delta(1, range(0, 100)), delta(2, range(50, 4000))];
  const heard: boolean[] = [];
  const evidence = new EvidenceInTurns(new LiveEvidence(EMPTY, FIXED_SEED), (isImage) => heard.push(isImage));
  for (const one of [first, second]) evidence.take({ type: 'delta', delta: one });
  while (evidence.live.sequence < 2) await new Promise(setImmediate);
  const before = evidence.live;
  evidence.take({ type: 'evidence', image: imageOf(first), included: 1, restart: false });
  evidence.take({ type: 'delta', delta: delta(3, [1]) });
  for (let turns = 0; evidence.live === before && turns < 1000; turns++) {
    assert.equal(evidence.live.observations(address(4049)).length, 2);
    await new Promise(setImmediate);
  }
  assert.deepEqual([evidence.live.image.meta.sequence, evidence.live.observations(address(4049)).length], [1, 2]);
  while (evidence.live.sequence < 3) await new Promise(setImmediate);
  assert.deepEqual(heard, [false, false, true, false]);
  evidence.take({ type: 'evidence', image: imageOf(), included: 0, restart: false });
  assert.equal(evidence.live.image.meta.sequence, 1, 'an older image is not taken');
  evidence.take({ type: 'evidence', image: imageOf(first), included: 1, restart: true });
  assert.deepEqual([evidence.live.sequence, evidence.live.observations(address(4049)).length], [1, 0], 'the earlier');
});
