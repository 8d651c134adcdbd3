import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { feedlogOfClone } from '../../bench/accuracy/feedlog-of-clone.ts';
import { type ReplaySeries, replaySeries } from '../../bench/accuracy/replay-series.ts';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import type { CaptureBatch, EvidenceSource } from '../../src/core/evidence/observation.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('replay-test');
const stores: HistoryStore[] = [];
after(async () => {
  for (const store of stores) await store.close();
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
const series = (
  source: EvidenceSource,
  runs: readonly (readonly [at: UnixMs, ips: readonly string[]])[],
): ReplaySeries => ({
  source,
  runs: runs.map(([at, ips]) => ({ at, batch: batchOf(ips) }))[Symbol.iterator](),
});
const STEADY = '8.0.0.1';
const BRIEF = '8.0.0.2';
const LATE = '8.0.0.3';

/** Hourly for 40 days: one entry always there, one only in the first hour, one from day 20 on. */
const hourly = Array.from(
  { length: 40 * 24 },
  (_, n) => [hour(n), [STEADY, ...(n === 0 ? [BRIEF] : []), ...(n >= 20 * 24 ? [LATE] : [])]] as const,
);
const options = { stepMs: 5 * DAY_MS, warmUpMs: 10 * DAY_MS };

test('an entry that stays is captured again within every horizon, one that is gone never is', async () => {
  const report = await replaySeries(openStore(), { ...options, series: [series(LIST, hourly)] });
  assert.deepEqual([report.runs, report.from, report.to], [hourly.length, hour(0), hour(40 * 24 - 1)]);
  for (const horizon of ['1d', '7d'] as const) {
    const { high, none, low, medium } = report.survival[horizon];
    assert.ok(high.count >= 3);
    assert.equal(high.again, high.count, 'fresh and listed: high, and seen again');
    assert.ok(low.count + medium.count + none.count > 0, 'the brief one was judged too');
    assert.equal(low.again + medium.again + none.again, 0);
  }
});

test('runs of several lists are taken in in the order of their times', async () => {
  const times: number[] = [];
  const real = openStore();
  const recordRun: HistoryStore['recordRun'] = (source, at, batch, acceptedAt) => {
    times.push(at);
    return real.recordRun(source, at, batch, acceptedAt);
  };
  const store = new Proxy(real, {
    get: (target, name) => {
      const value: unknown = name === 'recordRun' ? recordRun : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const other = series(
    { ...LIST, id: 'other', family: 'other' },
    [0, 7, 300].map((n) => [unixMs(hour(n) + 1), [LATE]] as const),
  );
  const report = await replaySeries(store, { ...options, series: [other, series(LIST, hourly.slice(0, 310))] });
  assert.equal(report.runs, 313);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
});

test('nothing to replay is a report of nothing', async () => {
  const report = await replaySeries(openStore(), { ...options, series: [series(LIST, [])] });
  assert.deepEqual([report.runs, report.survival['1d'].high.count], [0, 0]);
});

test('a list kept in git becomes a feedlog: one version per commit, dated by it', async () => {
  const clone = join(folder, 'clone');
  mkdirSync(join(clone, 'output/vpn'), { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', clone, '-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args]);
  git('init', '-q');
  const commit = (at: UnixMs, lines: readonly string[]) => {
    writeFileSync(join(clone, 'output/vpn/ipv4.txt'), `# ranges\n${lines.join('\n')}\n`);
    git('add', '.');
    const date = `${at / 1000} +0000`;
    execFileSync(
      'git',
      ['-C', clone, '-c', 'user.name=test', '-c', 'user.email=test@example.com', 'commit', '-qm', 'x'],
      {
        env: { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      },
    );
  };
  commit(hour(0), ['8.8.8.0/24', '9.9.9.0/24']);
  commit(hour(1), ['8.8.8.0/24', '1.0.0.0/24']);
  const list = { clone, repo: 'https://github.com/X4BNet/lists_vpn', path: 'output/vpn/ipv4.txt' };
  const lines = [...feedlogOfClone(list)];
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      { format: 'feedlog/1', repo: list.repo, path: list.path, versions: 2 },
      { t: new Date(hour(0)).toISOString(), full: ['8.8.8.0/24', '9.9.9.0/24'] },
      { t: new Date(hour(1)).toISOString(), add: ['1.0.0.0/24'], del: ['9.9.9.0/24'] },
    ],
  );
  assert.throws(
    () => [...feedlogOfClone({ ...list, path: 'README.md' })].length,
    /the catalogue has no evidence list README.md/,
  );
});
