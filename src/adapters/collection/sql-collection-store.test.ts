import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import type { CollectionCounts, NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import { DAY_MS, HOUR_MS, unixMs, utcDay } from '../../core/units.ts';
import { NEWEST_KEPT } from '../../service/intake/intake-ports.ts';
import { SqlCollectionStore } from './sql-collection-store.ts';

const NOW = unixMs(Date.UTC(2026, 10, 22, 12, 30));
const HOUR = Math.floor(NOW / HOUR_MS);
const databases = testDatabases();
const capture = (n: number): NewestCapture => ({
  at: unixMs(NOW + n),
  ip: '198.14.0.1',
  source: 'trap',
  riskType: 'honeypot_scan',
});
const counts = (more: Partial<CollectionCounts>): CollectionCounts => ({
  hours: [],
  sources: [],
  ports: [],
  newest: [],
  heartbeats: [],
  ...more,
});

for (const technology of TECHNOLOGIES)
  test(`counts of own collection over ${technology}: added exactly, bounded, forgotten in time`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const store = new SqlCollectionStore(opened.db);
    const source = { source: 'trap', acceptedAt: NOW, capturedAt: NOW, accepted: 5, refused: 1 };
    const one = counts({
      hours: [
        { source: 'trap', hour: HOUR, captures: 2, connections: 9 },
        { source: 'other', hour: HOUR, captures: 1, connections: 1 },
        { source: 'trap', hour: HOUR - 30, captures: 4, connections: 4 },
      ],
      sources: [source],
      ports: [
        { day: utcDay(NOW), protocol: 'ssh', port: 22, connections: 9 },
        { day: utcDay(NOW) - 1, protocol: 'ssh', port: 22, connections: 1 },
        { day: utcDay(NOW) - 2, protocol: 'rdp', port: 3389, connections: 99 },
        { day: utcDay(NOW), protocol: 'tcp', port: 0, connections: 3 },
      ],
      newest: [capture(1), { ...capture(2), protocol: 'ssh', port: 22 }],
    });
    await Promise.all([
      store.add(one),
      store.add({ ...one, sources: [{ ...source, acceptedAt: unixMs(NOW - 5), capturedAt: unixMs(NOW - 5) }] }),
    ]);
    const read = await store.read(NOW, 48);
    assert.deepEqual(read.sources, [
      { source: 'trap', acceptedAt: NOW, capturedAt: NOW, accepted: 10, refused: 2, capturesOfDay: 4 },
    ]);
    assert.equal(read.hours.length, 48);
    assert.deepEqual(read.hours.at(-1), { at: HOUR * HOUR_MS, captures: 6, connections: 20 });
    assert.deepEqual(read.hours.at(-31), { at: (HOUR - 30) * HOUR_MS, captures: 8, connections: 8 });
    assert.deepEqual(read.hours.at(-2), { at: (HOUR - 1) * HOUR_MS, captures: 0, connections: 0 });
    assert.deepEqual(read.ports, [
      { protocol: 'ssh', port: 22, connections: 20 },
      { protocol: 'tcp', port: 0, connections: 6 },
    ]);
    assert.deepEqual(read.newest[0], { ...capture(2), protocol: 'ssh', port: 22 });
    assert.equal(read.newest.length, 4);

    for (let n = 0; n < 7; n++)
      await store.add(counts({ newest: Array.from({ length: 200 }, (_, place) => capture(100 + 200 * n + place)) }));
    const { newest } = await store.read(NOW, 1);
    assert.deepEqual([newest.length, newest[0]?.at, newest.at(-1)?.at], [NEWEST_KEPT, NOW + 1499, NOW + 500]);

    const heartbeat = (source: string, seenAt: number, clockOffsetMs: number) => ({
      source,
      seenAt: unixMs(seenAt),
      clockOffsetMs,
    });
    await store.add(counts({ heartbeats: [heartbeat('trap', NOW + 5, -3), heartbeat('quiet', NOW + 9, 4000)] }));
    await store.add(counts({ heartbeats: [heartbeat('trap', NOW + 4, 99)] }));
    const sources = (await store.read(NOW, 1)).sources;
    assert.deepEqual(
      sources.find((one) => one.source === 'trap')?.heartbeat,
      { seenAt: NOW + 5, clockOffsetMs: -3 },
      'an older one changes nothing',
    );
    assert.deepEqual(sources[0], {
      source: 'quiet',
      accepted: 0,
      refused: 0,
      capturesOfDay: 0,
      heartbeat: { seenAt: NOW + 9, clockOffsetMs: 4000 },
    });
    for (let n = 0; n < 6; n++)
      await store.add(
        counts({ heartbeats: Array.from({ length: 1000 }, (_, i) => heartbeat(`s${1000 * n + i}`, NOW, 0)) }),
      );
    await store.add(counts({ heartbeats: [heartbeat('trap', NOW + 6, 1)] }));
    const { count } = await opened.db
      .selectFrom('collection_sources')
      .select((row) => row.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    assert.deepEqual(
      [Number(count), (await store.heartbeats()).find((one) => one.source === 'trap')?.clockOffsetMs],
      [5000, 1],
      'names are bounded',
    );

    await store.prune(unixMs(NOW + 7 * DAY_MS));
    assert.deepEqual(
      (await store.read(NOW, 48)).hours.filter(({ captures }) => captures > 0).map(({ at }) => at),
      [HOUR * HOUR_MS],
    );
    await store.prune(unixMs(NOW + 401 * DAY_MS));
    assert.deepEqual((await store.read(NOW, 48)).sources, []);
  });
