import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { openSnapshots } from '../../adapters/snapshots/open-snapshots.ts';
import { loadConfig } from '../../config.ts';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { RowNames } from '../../engine/evidence/evidence-row.ts';
import { EvidenceRowBuffer } from '../../engine/evidence/evidence-row-buffer.ts';
import type { EvidenceChanges } from '../ports.ts';
import type { DataMessage } from './data-state.ts';
import { DeltaBounds, SnapshotFollower } from './snapshot-follower.ts';

const NOW = unixMs(1_800_000_000_000);
const stand = (sequence: number) => ({ store: 'store', sequence, mark: `m${sequence}` });

/** A store in which every question brings one batch more, with one changed prefix. */
function growingStore() {
  const asked: number[] = [];
  return {
    asked,
    changesSince(sequence: number): EvidenceChanges {
      asked.push(sequence);
      const names = new RowNames([{ id: 's', family: 's', lastRunAt: NOW, runDays: 1 }]);
      const buffer = new EvidenceRowBuffer(1);
      buffer.row(buffer.prefix(4, sequence << 8, 0, 0, 0, 24), ROW_OP.fixed, 0, 0, 0, NOW, 1);
      return { head: stand(sequence + 1), since: stand(sequence), changed: { names, rows: buffer.columns() } };
    },
    leftOutAt: () => undefined,
    close() {},
  };
}

function followingOver(most: number) {
  const dataDir = testFolder('following');
  const config = loadConfig({ PULSE_DATA_DIR: dataDir }, 1);
  const messages: DataMessage[] = [];
  const warnings: string[] = [];
  const warn = (_fields: object, text: string): void => void warnings.push(text);
  const log = { info() {}, warn, error: warn, debug() {} } as never;
  const store = growingStore();
  const following = new SnapshotFollower(
    {
      images: openSnapshots(config, {}),
      isForeign: () => false,
      checkAssistants: () => {},
      log,
      clock: { now: () => NOW },
      publish: (message) => messages.push(message),
    },
    store,
    new DeltaBounds(most),
  );
  const publish = (sequence: number): Promise<string> => {
    const { image } = emptyEvidence({ dataVersion: `v${sequence}`, builtAt: NOW, ...stand(sequence) }, FIXED_SEED);
    return openSnapshots(config, {}).evidence.publish(new Uint8Array(image.buffer));
  };
  const deltas = (): number => messages.filter(({ type }) => type === 'delta').length;
  const degraded = (): boolean =>
    messages.findLast((message) => message.type === 'degraded' && message.by === 'evidence')!['degraded' as never];
  return { following, store, warnings, publish, deltas, degraded };
}

test('where no new image comes, following stops at its bound, says so once and is degraded; an image heals it', async () => {
  // A delta of the store is three entries: its row, its source and the pool that stands for none.
  const { following, store, warnings, publish, deltas, degraded } = followingOver(9);
  await publish(1);
  await following.look();
  for (let i = 0; i < 6; i++) await following.poll();
  assert.deepEqual([store.asked, deltas(), degraded()], [[1, 2, 3], 3, true]);
  assert.deepEqual(warnings, ['captures are not followed until an image is published; the last view keeps serving']);
  await publish(3);
  await following.look();
  await following.poll();
  assert.deepEqual([store.asked, deltas(), degraded()], [[1, 2, 3, 4], 4, false]);
  await following.close();
});

test('an image that holds all that was sent makes room for as much again', async () => {
  const { following, publish, deltas } = followingOver(9);
  for (const sequence of [1, 4, 7]) {
    await publish(sequence);
    await following.look();
    for (let i = 0; i < 6; i++) await following.poll();
  }
  assert.equal(deltas(), 9);
  await following.close();
});
