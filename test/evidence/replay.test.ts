import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import type { CaptureBatch, EvidenceSource } from '../../src/core/evidence/capture.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { type ReplaySeries, replay } from '../../src/service/replay.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulse-replay-test-'));
const stores: HistoryStore[] = [];
after(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});
const openStore = (): HistoryStore => {
  const store = new SqliteHistory(join(folder, `${stores.length}.db`));
  stores.push(store);
  return store;
};

const START = unixMs(Date.UTC(2026, 5, 1));
const hour = (n: number): UnixMs => unixMs(START + n * HOUR_MS);
const LIST: EvidenceSource = { id: 'proxies', family: 'proxies', mode: 'listing', riskType: 'proxy' };
const batchOf = (ips: readonly string[]): CaptureBatch => {
  const batch = new CaptureBatchBuilder();
  for (const ip of ips) batch.add(parsePrefix(ip)!);
  return batch.build();
};
const series = (source: EvidenceSource, runs: readonly (readonly [at: UnixMs, ips: readonly string[]])[]): ReplaySeries => ({
  source,
  runs: runs.map(([at, ips]) => ({ at, batch: batchOf(ips) }))[Symbol.iterator](),
});
const STEADY = '8.0.0.1';
const BRIEF = '8.0.0.2';
const LATE = '8.0.0.3';

/** Hourly for 40 days: one entry always there, one only in the first hour, one from day 20 on. */
const hourly = Array.from({ length: 40 * 24 }, (_, n) => [hour(n), [STEADY, ...(n === 0 ? [BRIEF] : []), ...(n >= 20 * 24 ? [LATE] : [])]] as const);
const options = { stepMs: 5 * DAY_MS, warmUpMs: 10 * DAY_MS, knownGood: [] };

test('an entry that stays is captured again within every horizon, one that is gone never is', async () => {
  const report = await replay(openStore(), { ...options, series: [series(LIST, hourly)] });
  assert.deepEqual([report.runs, report.from, report.to], [hourly.length, hour(0), hour(40 * 24 - 1)]);
  for (const horizon of ['1d', '7d'] as const) {
    const { high, none, low, medium } = report.survival[horizon];
    assert.ok(high.count >= 3);
    assert.equal(high.again, high.count, 'fresh and listed: high, and seen again');
    assert.ok(low.count + medium.count + none.count > 0, 'the brief one was judged too');
    assert.equal(low.again + medium.again + none.again, 0);
  }
});

test('a state is followed from sample to sample, and a new entry is scored in the sample after the run that brought it', async () => {
  const report = await replay(openStore(), { ...options, series: [series(LIST, hourly)] });
  assert.equal(report.movement['active>stale'], 1, 'the brief one expires after its window of 14 days, once');
  assert.equal(report.movement['stale>active'] ?? 0, 0);
  assert.deepEqual([report.firstSeen.count, report.firstSeen.active], [1, 1]);
  assert.ok(report.firstSeen.scoreSum >= 70);
});

test('runs of several lists are taken in in the order of their times', async () => {
  const times: number[] = [];
  const real = openStore();
  const recordRun: HistoryStore['recordRun'] = (source, at, batch, acceptedAt) => {
    times.push(at);
    return real.recordRun(source, at, batch, acceptedAt);
  };
  const store = { recordRun, scan: () => real.scan(), observationsAt: real.observationsAt.bind(real) } as HistoryStore;
  const other = series(
    { ...LIST, id: 'other', family: 'other' },
    [0, 7, 300].map((n) => [unixMs(hour(n) + 1), [LATE]] as const),
  );
  const report = await replay(store, { ...options, series: [other, series(LIST, hourly.slice(0, 310))] });
  assert.equal(report.runs, 313);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('known good addresses are judged as of the end, relay ranges as what they are', async () => {
  const vpn = series({ ...LIST, id: 'exits', family: 'exits', riskType: 'vpn' }, [
    [hour(0), ['9.9.9.0/24']],
    [hour(1), ['9.9.9.0/24']],
  ]);
  const addresses = ['9.9.9.9', '9.9.9.10', '1.1.1.1'].map((text) => parseAnyAddress(text)!);
  const knownGood = [
    { name: 'resolvers', relay: false, addresses },
    { name: 'relay', relay: true, addresses },
  ];
  const report = await replay(openStore(), { ...options, series: [vpn], knownGood });
  assert.deepEqual(report.knownGood, [
    { name: 'resolvers', addresses: 3, active: 2, high: 0 },
    { name: 'relay', addresses: 3, active: 0, high: 0 },
  ]);
});

test('nothing to replay is a report of nothing', async () => {
  const report = await replay(openStore(), { ...options, series: [series(LIST, [])] });
  assert.deepEqual([report.runs, report.firstSeen.count, report.survival['1d'].high.count], [0, 0, 0]);
});
