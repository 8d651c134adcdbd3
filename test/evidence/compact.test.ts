/** Compacting as the control thread runs it: as far back as the most generous contract. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryThread } from '../../src/adapters/evidence/history-thread.ts';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import { loadConfig } from '../../src/config.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { DAY_MS, unixMs } from '../../src/core/units.ts';
import type { ControlContext } from '../../src/main/jobs/background-job.ts';
import { compact } from '../../src/main/jobs/compact-job.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';

const dataDir = testFolder('condense');
const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
const logged: string[] = [];
const note = (_fields: object, message: string): void => void logged.push(message);
const context = {
  config: loadConfig({ PULSE_DATA_DIR: dataDir }, 1),
  clock: { now: () => NOW },
  log: { info: note, error: note },
} as unknown as Pick<ControlContext, 'config' | 'log' | 'clock'>;

test('detail is kept as long as any account may ask for it, and reduced in a thread of its own when none may any more', async () => {
  const store = await openHistory({ dataDir });
  const batch = new CaptureBatchBuilder();
  batch.addIpv4(0x08080808, 32);
  const old = unixMs(NOW - 200 * DAY_MS);
  for (const day of [0, 1, 2, 140])
    await store.recordCaptures(
      { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' },
      unixMs(old + day * DAY_MS),
      batch.build(),
      unixMs(old + day * DAY_MS),
    );
  const { accountId } = createKey(dataDir, 'archive', ['--plan', 'private']);
  pulseJson(dataDir, ['account', 'set', accountId, '--history-days', '400']);
  const thread = new HistoryThread({ dataDir });
  await compact(context, thread);
  assert.equal(await store.earliest(), old);
  pulseJson(dataDir, ['account', 'set', accountId, '--history-days', 'plan']);
  await compact(context, thread);
  assert.equal(await store.earliest(), unixMs(Date.UTC(2026, 10, 21) - 30 * DAY_MS));
  assert.deepEqual(logged, ['compacted old evidence']);
  covers('HISTORY-DAYS');
  pulseJson(dataDir, ['account', 'set', accountId, '--history-days', '400']);
  await compact({ ...context, config: { ...context.config, historyDays: 0 } }, thread);
  assert.equal(await store.earliest(), unixMs(Date.UTC(2026, 10, 21)));
  await thread.close();
  await store.close();
});
