import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { rowsOfScan } from '../../../../test/support/rows-of-scan.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { DERIVATION_RULES } from '../../../core/collection/derive/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../../core/evidence/capture-batch-builder.ts';
import type { EvidenceSource } from '../../../core/evidence/observation.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { faultText } from '../../system/system-fault.ts';
import { historyContract } from '../history.contract.ts';
import { CONTRACT_FACTS } from '../history-fixture.contract.ts';
import { SqliteHistory } from './history.ts';

historyContract('SQLite history', () => {
  const folder = testFolder('history');
  const path = join(folder, 'evidence.db');
  const deriveBy = { facts: () => CONTRACT_FACTS, rules: DERIVATION_RULES };
  const store = new SqliteHistory(path, deriveBy);
  return {
    store,
    reopen: () => new SqliteHistory(path, deriveBy),
    save: async () => {
      const [from, copy] = [new DatabaseSync(path), join(folder, 'copy.db')];
      await backup(from, copy);
      from.close();
      return async () => {
        const saved = new DatabaseSync(copy);
        await backup(saved, path);
        saved.close();
      };
    },
    countSeries: () => {
      const file = new DatabaseSync(path, { readOnly: true });
      const { n } = file.prepare('select count(*) as n from tracks').get()!;
      file.close();
      return Number(n);
    },
    dispose: () => {
      store.close();
    },
  };
});

const T0 = Date.UTC(2026, 5, 1);
const day = (n: number): UnixMs => unixMs(T0 + n * DAY_MS);
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

/** Returns a batch of the addresses 1.0.0.x with the given last octets. */
const batchOf = (hosts: readonly number[]) => {
  const batch = new CaptureBatchBuilder();
  for (const host of hosts) batch.addIpv4(0x01000000 + host, 32);
  return batch.build();
};
const countFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

/** Resolves after one turn of the event loop. */
const aTurn = (): Promise<void> => new Promise((next) => setImmediate(next));

/** Makes a store whose first 20 days hold 40 listed and 40 trapped addresses, a few of them each day. */
function fill(path: string): SqliteHistory {
  const store = new SqliteHistory(path);
  for (let n = 0; n < 20; n++) {
    store.recordRun(LISTING, day(n), batchOf(countFrom(2 * n, 4)), day(n));
    store.recordCaptures(EVENTS, day(n), batchOf(countFrom(100 + 2 * n, 4)), day(n));
  }
  return store;
}

test('compacting in slices leaves the same rows as compacting at once, and other connections write between the slices', async () => {
  const folder = testFolder('condense');
  const [whole, sliced] = [fill(join(folder, 'whole.db')), fill(join(folder, 'sliced.db'))];
  const other = new SqliteHistory(join(folder, 'sliced.db'));
  const rowsOf = async (store: SqliteHistory) =>
    (await store.scan(rowsOfScan)).filter(({ source }) => source !== 'busy');
  const inOne = await whole.compact(day(120));
  assert.ok(inOne.spells > 10 && inOne.events > 60);
  const slices = sliced.compact(day(120), 30, 3);
  let written = 0;
  const finished = slices.then(() => true);
  for (let done: unknown = false; done !== true; done = await Promise.race([finished, aTurn()])) {
    if (written < 20) other.recordCaptures({ ...EVENTS, id: 'busy' }, day(119), batchOf([200 + written++]), day(120));
  }
  assert.ok(written > 3, 'nothing could be written between the slices');
  assert.deepEqual(await slices, inOne);
  assert.deepEqual(await rowsOf(sliced), await rowsOf(whole));
  assert.equal(sliced.earliest(), whole.earliest());
  for (const store of [whole, sliced, other]) store.close();
});

test('a store that is closed while it compacts stops, and goes on at the next time', async () => {
  const folder = testFolder('condense');
  const path = join(folder, 'evidence.db');
  const store = fill(path);
  const slices = store.compact(day(120), 30, 3);
  store.close();
  const first = await slices;
  const again = new SqliteHistory(path);
  const second = await again.compact(day(120));
  assert.ok(first.spells + first.events < 10 && second.spells + second.events > 60);
  again.close();
});

test('a slice moves no more rows than it may where a run ended many at once', async () => {
  const store = new SqliteHistory(join(testFolder('condense'), 'evidence.db'));
  store.recordRun(LISTING, day(0), batchOf(countFrom(0, 100)), day(0));
  store.recordRun(LISTING, day(1), batchOf([0]), day(1));
  const slices = store.compact(day(120), 30, 3);
  await aTurn();
  store.close();
  const { spells } = await slices;
  assert.ok(spells > 0 && spells < 10, `${spells} rows`);
});

/** Runs the test with a store of two batches, a copy made after the first, and a second connection. */
async function withCopy(
  use: (paths: { path: string; copy: string }, store: SqliteHistory, other: SqliteHistory) => void,
): Promise<void> {
  const folder = testFolder('replaced');
  const [path, copy] = [join(folder, 'evidence.db'), join(folder, 'copy.db')];
  const [store, other] = [new SqliteHistory(path), new SqliteHistory(path)];
  try {
    store.recordCaptures(EVENTS, day(0), batchOf([1]), day(1));
    const from = new DatabaseSync(path);
    await backup(from, copy);
    from.close();
    store.recordCaptures(EVENTS, day(1), batchOf([2]), day(1));
    assert.equal(other.head().sequence, 2);
    use({ path, copy }, store, other);
  } finally {
    store.close();
    other.close();
  }
}

const hostAt = (host: number) => ({ family: 4, w0: 0x01000000 + host, w1: 0, w2: 0, w3: 0 }) as const;

test('a file that was put in the place of the open one is the one every connection reads and writes from then on', () =>
  withCopy(({ path, copy }, store, other) => {
    for (const end of ['-wal', '-shm']) rmSync(path + end);
    renameSync(copy, path);
    assert.equal(store.head().sequence, 1);
    assert.equal(store.recordCaptures(EVENTS, day(2), batchOf([3]), day(2)).sequence, 2);
    const fresh = new SqliteHistory(path);
    for (const connection of [other, store, fresh]) {
      assert.deepEqual(
        [1, 2, 3].map((host) => connection.observationsAt(hostAt(host), day(3)).length),
        [1, 0, 1],
      );
    }
    other.recordCaptures(EVENTS, day(2), batchOf([4]), day(2));
    fresh.close();
    assert.equal(store.observationsAt(hostAt(4), day(3)).length, 1);
  }));

test('a file that is gone is not made again under a running service, and is read again once it is back', () =>
  withCopy(({ path, copy }, store) => {
    renameSync(path, `${path}.away`);
    assert.throws(() => store.head(), /was moved or deleted/);
    assert.throws(() => store.recordCaptures(EVENTS, day(2), batchOf([3]), day(2)), /was moved or deleted/);
    assert.equal(existsSync(path), false);
    renameSync(`${path}.away`, path);
    assert.equal(store.head().sequence, 2);
    renameSync(copy, path);
    assert.throws(() => store.recordCaptures(EVENTS, day(2), batchOf([3]), day(2)), /-wal is of the file before/);
    for (const end of ['-wal', '-shm']) rmSync(path + end);
    assert.equal(store.head().sequence, 1);
  }));

test('a disk that is full while a batch is written is named, and the store goes on once there is room', (t) => {
  const store = fill(join(testFolder('full'), 'evidence.db'));
  const exec = DatabaseSync.prototype.exec;
  const full = t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    exec.call(this, sql);
    if (sql === 'begin immediate') exec.call(this, 'pragma max_page_count = 1');
  });
  const write = () => store.recordCaptures(EVENTS, day(20), batchOf(countFrom(0, 20_000)), day(20));
  assert.throws(write, (error: Error) => faultText(error) === 'the disk is full (ENOSPC)');
  full.mock.mockImplementation(function (this: DatabaseSync, sql: string) {
    exec.call(this, sql);
    if (sql === 'begin immediate') exec.call(this, 'pragma max_page_count = 1000000');
  });
  write();
  store.close();
});
