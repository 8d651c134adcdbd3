/**
 * An evidence store that is restored under a running service. What a start finds is proved in
 * src/main/jobs/evidence-job.test.ts.
 */
import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
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

/**
 * Evidence of an answer. The small world of these tests has no place for the addresses: without evidence they
 * are not found.
 */
async function stateOf(answer: Response): Promise<string | undefined> {
  const { evidence_state: state, error } = (await answer.json()) as {
    evidence_state?: string;
    error?: { code: string };
  };
  return answer.status === 404 ? 'none' : (state ?? error?.code);
}

/** Live and past answers of the addresses 45.1.0.x agree: captured are those and no others. */
async function shows(captured: readonly number[], gone: readonly number[]): Promise<void> {
  let wrong: string[] = [];
  const healed = async (): Promise<boolean> => {
    wrong = [];
    for (const host of [...captured, ...gone]) {
      const answer = await fetch(`${server!.base}/v1/ip/45.1.0.${host}`);
      const [state, degraded] = [await stateOf(answer), answer.headers.has('x-pulse-degraded')];
      const expected = gone.includes(host) ? 'none' : 'active';
      if (state !== expected || degraded) wrong.push(`45.1.0.${host} is ${state}, degraded ${degraded}`);
    }
    return wrong.length === 0;
  };
  await eventually(healed, { everyMs: 100, hint: () => `${wrong}\n${server!.output()}` });
  for (const host of [...captured, ...gone]) {
    const at = new Date().toISOString();
    const past = await fetch(`${server!.base}/pulse/v1/ip/45.1.0.${host}?at=${at}`, { headers: { 'X-API-Key': key } });
    assert.equal(await stateOf(past), captured.includes(host) ? 'active' : 'none', server!.output());
  }
}

/** How often the log names a store that the view is not of. */
const named = (): number =>
  server!.output().split('verdicts are degraded until everything is compiled from the store').length - 1;

const withoutLogs = (): void => {
  for (const end of ['-wal', '-shm']) rmSync(path() + end, { force: true });
};

test('while the server runs, a store that is restored in place or put in its place is followed without a restart', async () => {
  // Threads follow a change each by itself.
  server = await serveProcess({ env: { PULSE_WORKERS: '2', ...MANY_ANONYMOUS } });
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
