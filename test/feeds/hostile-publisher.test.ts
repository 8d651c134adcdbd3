/** What a publisher or a sender of captures may do at worst: readings outside the bounds are not taken in, and what was taken in never stops images. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch.ts';
import { unixMs } from '../../src/core/units.ts';
import { openEvidence, verifyEvidence } from '../../src/engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../src/engine/evidence/live-evidence.ts';
import { compileEvidence, mergeEvidenceSince } from '../../src/service/compile-evidence.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
/** Named by each of two sources: together more than sixteen bits number. */
const POOLS = 40_000;
const LEFT_OUT = 2 * POOLS - 65_535;

/** An address for each pool of the source's own. */
function send(store: SqliteHistory, source: string, first: number): void {
  const builder = new CaptureBatchBuilder();
  for (let n = 0; n < POOLS; n++) builder.add({ family: 4, w0: first + n, w1: 0, w2: 0, w3: 0, bits: 32 }, { pool: `${source} ${n}` });
  store.recordCaptures({ id: source, family: source, mode: 'events', riskType: 'proxy' }, NOW, builder.build(), NOW);
}

test('a store with more pools than an image numbers is compiled and merged: the pools past the limit are left out and counted, no row is', async () => {
  const store = new SqliteHistory(':memory:');
  send(store, 'one', 0x2d00_0000);
  const half = openEvidence((await compileEvidence(store, NOW)).bytes.buffer);
  send(store, 'two', 0x2e00_0000);

  const compiled = await compileEvidence(store, NOW);
  const merged = (await mergeEvidenceSince(store, half, NOW))!;
  for (const { bytes, dropped } of [compiled, merged]) {
    assert.deepEqual(dropped, { rows: 0, pools: LEFT_OUT });
    const image = openEvidence(bytes.buffer);
    assert.deepEqual(verifyEvidence(image), []);
    assert.equal(image.hosts4.count, 2 * POOLS);
    const last = new LiveEvidence(image).observations({ family: 4, w0: 0x2e00_0000 + POOLS - 1, w1: 0, w2: 0, w3: 0 });
    assert.deepEqual(last.map(({ family, pools }) => [family, pools]), [['two', []]]); // biome-ignore format: one row
  }
  store.close();
});

test('a reading of the store that is given up leaves it open for the next', async () => {
  const store = new SqliteHistory(':memory:');
  await assert.rejects(
    store.scan(() => {
      throw new Error('given up');
    }),
    /given up/,
  );
  assert.equal(await store.scan(({ head }) => head.sequence), 0);
  store.close();
});
