import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { syntheticGeo } from '../../../test/support/synthetic-geo.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { SqliteHistory } from '../../adapters/history/sqlite/history.ts';
import { noEvidence, shareImage } from '../../adapters/snapshots/image-folder.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { loadConfig } from '../../config.ts';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import type { Address } from '../../core/ip/address.ts';
import { compileEvidence } from '../../service/compile/compile-evidence.ts';
import { NO_DATA } from '../../service/serving/data-state.ts';
import { ThreadData } from '../threads/thread-data.ts';
import { evidenceJob } from './evidence-job.ts';

const folder = testFolder('evidence-job');
const GEO = shareImage(syntheticGeo());
const HOSTS = [1, 2, 3, 4, 5, 6];
const hostAt = (host: number): Address => ({ family: 4, w0: 0x2d010000 + host, w1: 0, w2: 0, w3: 0 });

/** Records one batch for each address, as captures of a sensor now. */
function capture(path: string, ...hosts: readonly number[]): void {
  const store = new SqliteHistory(path);
  const sensor = { id: 'sensor', family: 'sensor', mode: 'events', riskType: 'proxy' } as const;
  for (const host of hosts) {
    const batch = new CaptureBatchBuilder();
    batch.addIpv4(hostAt(host).w0, 32);
    store.recordCaptures(sensor, systemClock.now(), batch.build(), systemClock.now());
  }
  store.close();
}

const seenIn = (past: SqliteHistory): number[] =>
  HOSTS.filter((host) => past.observationsAt(hostAt(host), systemClock.now()).length > 0);

/** Starts the job over a folder, with the view of one thread that answers from it. */
async function start(dataDir: string) {
  const thread = new ThreadData({ ...NO_DATA, evidence: noEvidence() });
  thread.apply({ type: 'geo', image: GEO });
  const errors: string[] = [];
  const log = { info() {}, warn() {}, error: (_: object, text: string) => errors.push(text) };
  const seen = (): number[] => HOSTS.filter((host) => thread.view()!.observations(hostAt(host)).length > 0);
  const job = await evidenceJob.start({
    config: loadConfig({ PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' }, 1),
    log: log as never,
    clock: systemClock,
    publish: (message) => thread.apply(message),
    geo: { follow() {} },
    requests: undefined,
    progress() {},
  });
  return { stop: () => job.stop(), seen, degraded: () => thread.view()!.degraded, errors };
}

type Loss = readonly [what: string, lose: (path: string, copy: string) => void, left: readonly number[]];
/**
 * Ways in which the store is lost under an image of its batches 1, 2 and 3, and the addresses it holds
 * afterwards. The copy has batch 1.
 */
const LOSSES: readonly Loss[] = [
  ['an older store', (path, copy) => copyFileSync(copy, path), [1]],
  [
    'a store that was restored and written to up to the same number',
    (path, copy) => {
      copyFileSync(copy, path);
      capture(path, 4, 5);
    },
    [1, 4, 5],
  ],
  [
    'a store whose log was cut when its writer was killed',
    (path, copy) => {
      const killed = new SqliteHistory(copy);
      capture(copy, 2, 3);
      assert.ok(statSync(`${copy}-wal`).size > 0);
      copyFileSync(copy, path);
      writeFileSync(`${path}-wal`, '');
      killed.close();
    },
    [1],
  ],
  ['no store', (path) => rmSync(path), []],
];
for (const [what, lose, left] of LOSSES)
  test(`${what} under an image is named at the start and degrades verdicts until it is compiled; new captures are seen, and the next start finds its image`, async () => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const path = join(dataDir, 'evidence.db');
    const copy = join(dataDir, 'copy.db');
    capture(path, 1);
    copyFileSync(path, copy);
    capture(path, 2, 3);
    const store = new SqliteHistory(path);
    mkdirSync(join(dataDir, 'images'));
    const { bytes } = await compileEvidence(store, systemClock.now(), FIXED_SEED);
    writeFileSync(join(dataDir, 'images', 'evidence.img'), bytes);
    store.close();
    lose(path, copy);

    const first = await start(dataDir);
    assert.deepEqual([first.seen(), first.degraded()], [[1, 2, 3], true], 'the image serves, degraded');
    const past = new SqliteHistory(path);
    assert.deepEqual(seenIn(past), left);
    await eventually(() => !first.degraded());
    assert.deepEqual(first.seen(), left);
    capture(path, 6);
    await eventually(() => first.seen().includes(6));
    assert.deepEqual(first.seen(), [...left, 6]);
    assert.deepEqual(seenIn(past), [...left, 6]);
    assert.equal(first.errors.length, 1);
    assert.match(first.errors[0]!, /verdicts are degraded until everything is compiled from the store$/);
    await first.stop();
    past.close();

    const second = await start(dataDir);
    assert.deepEqual([second.seen(), second.degraded(), second.errors], [[...left, 6], false, []]);
    await second.stop();
  });
