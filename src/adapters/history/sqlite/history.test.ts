import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { EvidenceSource } from '../../../core/evidence/capture.ts';
import { CaptureBatchBuilder } from '../../../core/evidence/capture-batch.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveRow } from '../../../service/ports.ts';
import { historyContract } from '../history.contract.ts';
import { SqliteHistory } from './history.ts';

historyContract('SQLite history', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-history-'));
  const path = join(folder, 'evidence.db');
  const store = new SqliteHistory(path);
  return {
    store,
    reopen: () => new SqliteHistory(path),
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
    dispose: () => {
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

const T0 = Date.UTC(2026, 5, 1);
const day = (n: number): UnixMs => unixMs(T0 + n * DAY_MS);
const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

/** Addresses 1.0.0.x of the given last octets. */
const batchOf = (hosts: readonly number[]) => {
  const batch = new CaptureBatchBuilder();
  for (const host of hosts) batch.addIpv4(0x01000000 + host, 32);
  return batch.build();
};
const countFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

/** A store whose first 20 days hold 40 listed and 40 trapped addresses, a few of them every day. */
function fill(path: string): SqliteHistory {
  const store = new SqliteHistory(path);
  for (let n = 0; n < 20; n++) {
    store.recordRun(LISTING, day(n), batchOf(countFrom(2 * n, 4)), day(n));
    store.recordCaptures(EVENTS, day(n), batchOf(countFrom(100 + 2 * n, 4)), day(n));
  }
  return store;
}

test('condensing in slices leaves what condensing at once leaves, and other connections write between the slices', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-condense-'));
  try {
    const [whole, sliced] = [fill(join(folder, 'whole.db')), fill(join(folder, 'sliced.db'))];
    const other = new SqliteHistory(join(folder, 'sliced.db'));
    const rowsOf = (store: SqliteHistory): LiveRow[] => {
      const rows: LiveRow[] = [];
      for (const row of store.scan().rows as Iterable<LiveRow>) if (row.source !== 'busy') rows.push(row);
      return rows;
    };
    const inOne = await whole.condense(day(120));
    assert.ok(inOne.spells > 10 && inOne.events > 60);
    const slices = sliced.condense(day(120), 30, 3);
    let written = 0;
    const finished = slices.then(() => true);
    for (let done: unknown = false; done !== true; done = await Promise.race([finished, new Promise((next) => setImmediate(next))])) {
      if (written < 20) other.recordCaptures({ ...EVENTS, id: 'busy' }, day(119), batchOf([200 + written++]), day(120));
    }
    assert.ok(written > 3, 'nothing could be written between the slices');
    assert.deepEqual(await slices, inOne);
    assert.deepEqual(rowsOf(sliced), rowsOf(whole));
    assert.equal(sliced.earliest(), whole.earliest());
    for (const store of [whole, sliced, other]) store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a store that is closed while it condenses stops, and goes on at the next time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-condense-'));
  try {
    const path = join(folder, 'evidence.db');
    const store = fill(path);
    const slices = store.condense(day(120), 30, 3);
    store.close();
    const first = await slices;
    const again = new SqliteHistory(path);
    const second = await again.condense(day(120));
    assert.ok(first.spells + first.events < 10 && second.spells + second.events > 60);
    again.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
