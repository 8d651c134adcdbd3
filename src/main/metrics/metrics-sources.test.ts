import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import type { Config } from '../../config.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { type MetricsOptions, metricsSources } from './metrics-sources.ts';

const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
const OLD = NOW - 90 * DAY_MS;

/** Sources of a node whose folder holds old readings of two feeds, one of them switched off. */
async function sources(more: Partial<MetricsOptions> = {}) {
  const dataDir = testFolder('metrics');
  mkdirSync(join(dataDir, 'feeds'));
  for (const id of ['tor-bulk-exits', 'mullvad'])
    writeFileSync(
      join(dataDir, 'feeds', `${id}.state.json`),
      JSON.stringify({ failures: 0, rows: 1, refused: {}, lastRunAt: OLD, lastSuccessAt: OLD, lastAttemptAt: OLD }),
    );
  writeFileSync(join(dataDir, 'feeds', 'mullvad.off'), '');
  const options = { config: { dataDir } as Config, clock: { now: () => NOW }, ...more } as MetricsOptions;
  return (await metricsSources(options).feeds()).map(({ id, overdue }) => [id, overdue]);
}

test('a source that was switched off is neither overdue nor old', async () => {
  covers('OBSERVE');
  assert.deepEqual(await sources(), [['tor-bulk-exits', true]]);
});

test('a source of the store is overdue where the node that reads it noted that verdicts lack it', async () => {
  covers('OBSERVE');
  const store = {
    sources: () => [
      { id: 'mullvad', rows: 1, overdue: false, lastRunAt: OLD },
      { id: 'et-compromised', rows: 1, overdue: false, lastRunAt: OLD },
      { id: 'spamhaus-drop-4', rows: 1, overdue: false, lastRunAt: OLD },
    ],
    leftOutAt: () => ({ ids: ['et-compromised'], retired: [], expected: 2, silent: false }),
  };
  assert.deepEqual(await sources({ history: async () => store } as unknown as Partial<MetricsOptions>), [
    ['tor-bulk-exits', true],
    ['et-compromised', true],
    ['spamhaus-drop-4', false],
  ]);
});
