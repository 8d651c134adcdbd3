/** An evidence store that was restored, cut or deleted under an image of its later state: it is named in the log, no verdict hides it, and the view heals. */
import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { makeEvidence } from '../../src/adapters/evidence/image-thread.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { unixMs } from '../../src/core/units.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('restored');
const copy = join(folder, 'copy.db');
const env = { PULSE_WORKERS: '1', ...MANY_ANONYMOUS };
let server: ServeProcess | undefined;
let dataDir = '';
let key = '';
after(() => server?.dispose());

const path = (): string => join(dataDir, 'evidence.db');

/** A sensor sees the addresses 45.1.0.x now. */
function capture(...hosts: readonly number[]): void {
  const store = new SqliteHistory(path());
  const now = unixMs(Date.now());
  for (const host of hosts) {
    const batch = new CaptureBatchBuilder();
    batch.addIpv4(0x2d010000 + host, 32);
    store.recordCaptures(
      { id: 'sensor', family: 'sensor', mode: 'events', riskType: 'proxy' },
      now,
      batch.build(),
      now,
    );
  }
  store.close();
}

async function saveStore(): Promise<void> {
  const store = new DatabaseSync(path());
  await backup(store, copy);
  store.close();
}

/** The image of the store as it is now, as the next start finds it. */
async function makeImage(): Promise<void> {
  await makeEvidence({ target: { dataDir }, path: join(dataDir, 'images', 'evidence.img') }).written;
}

/** Evidence of an answer. The small world of these tests has no place for the addresses: without evidence they are not found. */
async function stateOf(answer: Response): Promise<string | undefined> {
  const { evidence_state: state, error } = (await answer.json()) as {
    evidence_state?: string;
    error?: { code: string };
  };
  return answer.status === 404 ? 'none' : (state ?? error?.code);
}

/**
 * Live and past answers of the addresses 45.1.0.x agree: captured are those and no others.
 * @param fromStart the server has just started: an answer that is not so yet must say that it is degraded. A running one needs a moment to notice.
 */
async function shows(captured: readonly number[], gone: readonly number[], fromStart = false): Promise<void> {
  let wrong: string[] = [];
  const hidden: string[] = [];
  const healed = async (): Promise<boolean> => {
    wrong = [];
    for (const host of [...captured, ...gone]) {
      const answer = await fetch(`${server!.base}/v1/ip/45.1.0.${host}`);
      const [state, degraded] = [await stateOf(answer), answer.headers.has('x-pulse-degraded')];
      const expected = gone.includes(host) ? 'none' : 'active';
      if (fromStart && expected === 'none' && state !== 'none' && !degraded) hidden.push(`45.1.0.${host} is ${state}`);
      if (state !== expected || degraded) wrong.push(`45.1.0.${host} is ${state}, degraded ${degraded}`);
    }
    return wrong.length === 0;
  };
  await eventually(healed, { hint: () => `${wrong}\n${server!.output()}` });
  assert.deepEqual(hidden, [], 'nothing said that the view was wrong');
  for (const host of [...captured, ...gone]) {
    // The very millisecond in which the server answers is within any window.
    const at = new Date(Date.now() - (captured.length === 0 ? 1000 : 0)).toISOString();
    const past = await fetch(`${server!.base}/pulse/v1/ip/45.1.0.${host}?at=${at}`, { headers: { 'X-API-Key': key } });
    // A store that never accepted anything has watched nothing: it has no moment to answer for.
    const unseen = captured.length === 0 ? 'at_out_of_window' : 'none';
    assert.equal(await stateOf(past), captured.includes(host) ? 'active' : unseen);
  }
}

/** How often the log names a store that the view is not of. */
const named = (): number =>
  server!.output().split('verdicts are degraded until everything is compiled from the store').length - 1;

const withoutLogs = (): void => {
  for (const end of ['-wal', '-shm']) rmSync(path() + end, { force: true });
};

test('while the server runs, a store that is restored in place or put in its place is followed without a restart', async () => {
  // Threads follow a running change each by itself; a start gives all of them one image, so that one is enough there.
  server = await serveProcess({ env: { ...env, PULSE_WORKERS: '2' } });
  dataDir = server.dataDir;
  key = createKey(dataDir, 'reader', ['--plan', 'private', '--dpa']).key;
  capture(1);
  await saveStore();
  capture(2, 3);
  await shows([1, 2, 3], [4]);
  assert.equal(named(), 0);
  const saved = new DatabaseSync(copy);
  await backup(saved, path());
  saved.close();
  await shows([1], [2, 3]);
  assert.equal(named(), 1);
  const namedAt = Date.now();
  capture(4, 5);
  await shows([1, 4, 5], [2, 3]);
  // Equal lines are logged once a second.
  await eventually(() => Date.now() - namedAt > 1100);
  withoutLogs();
  copyFileSync(copy, `${copy}.2`);
  renameSync(`${copy}.2`, path());
  await shows([1], [4, 5]);
  assert.equal(named(), 2, server.output());
  capture(6);
  await shows([1, 6], [4, 5]);
});

test('a log that was cut while the server was killed is found at the start', async () => {
  await server!.stop();
  server = await serveProcess({ dataDir, env });
  capture(7, 8);
  await makeImage();
  await shows([1, 6, 7, 8], []);
  await server.kill();
  assert.ok(statSync(`${path()}-wal`).size > 0);
  truncateSync(`${path()}-wal`, 0);
  server = await serveProcess({ dataDir, env });
  await shows([1, 6], [7, 8], true);
  assert.equal(named(), 1);
  await server.stop();
  server = await serveProcess({ dataDir, env });
  await shows([1, 6], [7, 8], true);
  assert.equal(named(), 0, 'the image that healed it is the one of the next start');
});

for (const [what, change, captured, gone] of [
  ['an older store', () => copyFileSync(copy, path()), [1], [6, 9]],
  [
    'a store that was restored and written to up to the same number',
    () => {
      copyFileSync(copy, path());
      capture(10, 11);
    },
    [1, 10, 11],
    [6, 9],
  ],
  ['no store', () => rmSync(path()), [], [1, 6, 9]],
] as const) {
  test(`${what} under an image is named at the start, is compiled at once, and new captures are seen`, async () => {
    await server!.stop();
    // Batches 1, 2 and 3; the copy has the first.
    withoutLogs();
    copyFileSync(copy, path());
    capture(6, 9);
    await makeImage();
    change();
    server = await serveProcess({ dataDir, env });
    await shows(captured, gone, true);
    assert.equal(named(), 1);
    capture(12);
    await shows([...captured, 12], gone);
  });
}
