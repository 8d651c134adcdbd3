import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { rowsOfColumns } from '../../../test/support/rows-of-scan.ts';
import type { EvidenceSource, Observation } from '../../core/evidence/observation.ts';
import { HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { continues, ROW_OP } from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile/compile-evidence.ts';
import type { HistoryStore } from '../../service/ports.ts';
import { derivedCapturesContract } from './derive/derived-captures.contract.ts';
import {
  APPEARANCE,
  address,
  assertSeen,
  at,
  batchOf,
  type Check,
  capturesOf,
  EVENTS,
  type HistoryFixture,
  LATER,
  LISTING,
  run,
  seenIn,
  T0,
  trapped,
} from './history-fixture.contract.ts';
import { historyStoriesContract } from './history-stories.contract.ts';
import { deliveriesContract } from './receive/deliveries.contract.ts';

const day = (n: number): UnixMs => at(n * 1440);

/**
 * The suite every HistoryStore passes. @param open returns an empty store, or the reason why none is
 * available
 * @param stories number of random stories to play; a store behind a network is asked thousands of times per
 * story
 */
export function historyContract(
  name: string,
  open: () => HistoryFixture | Promise<HistoryFixture | { readonly skip: string }>,
  stories = 30,
): void {
  const check: Check = (title, body) => {
    test(`${name}: ${title}`, async (t) => {
      const fixture = await open();
      if ('skip' in fixture) return t.skip(fixture.skip);
      const reopened: HistoryStore[] = [];
      const reopen = async (): Promise<HistoryStore> => {
        reopened.push(await fixture.reopen());
        return reopened.at(-1)!;
      };
      try {
        await body({ ...fixture, reopen });
      } finally {
        for (const store of reopened) await store.close();
        await fixture.dispose();
      }
    });
  };

  check('an entry is captured by every run that holds it, and by no other', async ({ store }) => {
    await run(store, LISTING, 0, '1.2.3.4 5.6.7.0/24');
    await run(store, LISTING, 30, '1.2.3.4');
    await run(store, LISTING, 60, '5.6.7.0/24');
    await assertSeen(
      store,
      `1.2.3.4 -1
       1.2.3.4 0 proxy@0
       1.2.3.4 29 proxy@0
       1.2.3.4 30 proxy@30
       1.2.3.4 600 proxy@30
       5.6.7.8 45 proxy@0
       5.6.7.8 60 proxy@60
       9.9.9.9 60`,
    );
  });

  check('many instants in one read are answered as each of them alone', async ({ store }) => {
    await run(store, LISTING, 0, '1.2.3.4 1.2.3.0/24');
    await run(store, LISTING, 1440, '1.2.3.0/24');
    const days = Array.from({ length: 40 }, (_, day) => ({ ip: '1.2.3.4', at: at(day * 1440 + 7) }));
    await trapped(store, days);
    const instants = Array.from({ length: 121 }, (_, step) => at(-1000 + step * 500));
    const alone: (readonly Observation[])[] = [];
    for (const instant of instants) alone.push(await store.observationsAt(address('1.2.3.4'), instant));
    const together = await store.observationsAtEach(address('1.2.3.4'), instants);
    assert.deepEqual(together, alone);
    assert.deepEqual([together[0], capturesOf(together[2]!)], [[], ['proxy@0', 'proxy@0']]);
    assert.deepEqual(await store.observationsAtEach(address('1.2.3.4'), []), []);
    assert.deepEqual(await store.observationsAtEach(address('9.9.9.9'), instants.slice(0, 2)), [[], []]);
  });

  check('a missed run does not end a spell', async ({ store }) => {
    await run(store, LISTING, 0, '1.2.3.4');
    await run(store, LISTING, 10_000, '1.2.3.4');
    await assertSeen(
      store,
      `1.2.3.4 9999 proxy@0
       1.2.3.4 10000 proxy@10000`,
    );
  });

  check('the same run or batch twice changes nothing', async ({ store }) => {
    const first = await run(store, LISTING, 0, '1.2.3.4');
    const again = await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), unixMs(LATER + 1));
    assert.equal(first.changed, true);
    assert.deepEqual([again.changed, again.sequence, again.added], [false, first.sequence, 0]);
    await trapped(store, [{ ip: '1.2.3.4', at: at(5) }]);
    const twice = await trapped(store, [{ ip: '1.2.3.4', at: at(5) }]);
    assert.deepEqual([twice.changed, twice.added], [false, 0]);
    assert.equal((await store.head()).sequence, twice.sequence);
  });

  check('a late run without the entry splits its spell and takes no capture away', async ({ store }) => {
    await run(store, LISTING, 0, '1.2.3.4');
    await run(store, LISTING, 60, '1.2.3.4');
    await run(store, LISTING, 30, '9.9.9.9');
    await assertSeen(
      store,
      `1.2.3.4 45 proxy@0
       1.2.3.4 60 proxy@60`,
    );
    await run(store, LISTING, 45, '9.9.9.9 1.2.3.4');
    await assertSeen(
      store,
      `1.2.3.4 50 proxy@45
       9.9.9.9 90 proxy@45`,
    );
  });

  check('a late run without an entry reports to followers that its spell was split', async ({ store }) => {
    for (const n of [0, 4]) await store.recordRun(LISTING, day(n), batchOf(['1.2.3.4']), LATER);
    const late = await store.recordRun(LISTING, day(2), batchOf([]), LATER);
    const { changed } = await store.changesSince(late.sequence - 1, 10);
    assert.ok(changed !== 'all');
    assert.deepEqual(
      rowsOfColumns(changed).map((row) => [row.op, row.capturedAt, row.days]),
      [
        [ROW_OP.clear, 0, 0],
        [ROW_OP.fixed, day(0), 1],
        [ROW_OP.following, day(4), 0],
      ],
    );
    const shown = changed.names.sources.map(({ lastRunAt, runDays }) => [lastRunAt, runDays]);
    assert.deepEqual(shown, [[day(4), 0b10101]]);
    assert.equal((await store.observationsAt(address('1.2.3.4'), day(4)))[0]?.days, 0b10001);
  });

  check('a second reading at the time of a run adds its entries and removes none', async ({ store }) => {
    await run(store, LISTING, 0, '1.2.3.4');
    await run(store, LISTING, 30, '5.6.7.8');
    const outcome = await run(store, LISTING, 30, '1.2.3.4');
    assert.equal(outcome.changed, true);
    await assertSeen(
      store,
      `1.2.3.4 31 proxy@30
       5.6.7.8 31 proxy@30`,
    );
    await run(store, LISTING, 60, '1.2.3.4');
    await assertSeen(
      store,
      `5.6.7.8 61 proxy@30
       1.2.3.4 61 proxy@60`,
    );
  });

  check('an appearance list captures an entry when it appears, not while it stays', async ({ store }) => {
    await run(store, APPEARANCE, 0, '1.2.3.4');
    await run(store, APPEARANCE, 30, '1.2.3.4 5.6.7.8');
    await run(store, APPEARANCE, 60, '5.6.7.8');
    await run(store, APPEARANCE, 90, '1.2.3.4 5.6.7.8');
    await assertSeen(
      store,
      `1.2.3.4 89 osint@0
       1.2.3.4 90 osint@90
       5.6.7.8 90 osint@30`,
    );
  });

  check('an appearance list takes newer times, and a late earlier run takes none away', async ({ store }) => {
    await store.recordRun(APPEARANCE, at(30), batchOf([{ ip: '1.2.3.4', at: at(10) }, '5.6.7.8']), LATER);
    await store.recordRun(APPEARANCE, at(60), batchOf([{ ip: '1.2.3.4', at: at(50) }, '5.6.7.8']), LATER);
    await run(store, APPEARANCE, 20, '5.6.7.8');
    await assertSeen(
      store,
      `1.2.3.4 40 osint@10
       1.2.3.4 60 osint@50
       5.6.7.8 25 osint@20
       5.6.7.8 60 osint@30`,
    );
  });

  check('five minutes ahead counts from the acceptance, more is refused and counted', async ({ store }) => {
    const now = at(100);
    const outcome = await store.recordCaptures(
      EVENTS,
      now,
      batchOf([
        { ip: '1.1.1.1', at: at(105) },
        { ip: '2.2.2.2', at: unixMs(at(105) + 1) },
      ]),
      now,
    );
    assert.equal(outcome.rows, 1);
    assert.deepEqual([...outcome.refused], [['ahead_of_clock', 1]]);
    assert.deepEqual(await seenIn(store, '1.1.1.1', now), ['honeypot_scan@100']);
    assert.deepEqual(await store.observationsAt(address('2.2.2.2'), LATER), []);
    const run = await store.recordRun(LISTING, unixMs(now + 5 * MINUTE_MS + 1), batchOf(['3.3.3.3']), now);
    assert.deepEqual([run.changed, run.rows, run.refused.get('ahead_of_clock')], [false, 0, 1]);
    await store.recordRun(LISTING, unixMs(now + 5 * MINUTE_MS), batchOf(['3.3.3.3']), now);
    assert.deepEqual(await seenIn(store, '3.3.3.3', now), ['proxy@100']);
  });

  check('a row without a risk type from a source without one is refused and counted', async ({ store }) => {
    const outcome = await store.recordCaptures(
      { id: 'x', family: 'x', mode: 'events' },
      at(0),
      batchOf(['1.1.1.1', { ip: '1.1.1.2', riskType: 'vpn' }]),
      LATER,
    );
    assert.deepEqual([outcome.rows, outcome.refused.get('no_risk_type')], [1, 1]);
  });

  check('a kind of IPv6 prefixes is refused about IPv4', async ({ store }) => {
    const rows = [
      { ip: '1.1.1.3', riskType: 'ipv6_range' },
      { ip: '2a00::/64', riskType: 'ipv6_range' },
    ] as const;
    const outcome = await store.recordCaptures({ id: 'x', family: 'x', mode: 'events' }, at(0), batchOf(rows), LATER);
    assert.deepEqual([outcome.rows, outcome.refused.get('ipv6_only')], [1, 1]);
  });

  check('a row with bits past its length, or an impossible length, is refused and counted', async ({ store }) => {
    const batch = batchOf(['1.2.3.0/24', '2001:db8::/32', '1.2.3.4']);
    batch.words[0] = batch.words[0]! + 1;
    batch.words[7] = 1;
    batch.bits[2] = 33;
    const outcome = await store.recordRun(LISTING, at(0), batch, LATER);
    assert.deepEqual([outcome.rows, outcome.refused.get('not_a_prefix')], [0, 3]);
  });

  check('prefixes of every length and both families are found by the addresses in them', async ({ store }) => {
    await trapped(
      store,
      '1.2.3.4 1.2.3.0/24 1.0.0.0/8 2001:db8:1::/48 2001:db8:1:2::/64 2001:db8:1:2::3 0.0.0.0/0'.split(' '),
    );
    const bits = async (ip: string) => (await store.observationsAt(address(ip), LATER))[0]?.prefixBits;
    assert.deepEqual(
      [await bits('1.2.3.4'), await bits('1.2.3.5'), await bits('1.9.9.9'), await bits('77.7.7.7')],
      [32, 24, 8, 0],
    );
    assert.deepEqual(
      [
        await bits('2001:db8:1:2::3'),
        await bits('2001:db8:1:2::4'),
        await bits('2001:db8:1:3::4'),
        await bits('2001:db9::'),
      ],
      [128, 64, 48, undefined],
    );
  });

  check('sources stay apart, each with its pool and its sharing', async ({ store }) => {
    const tor: EvidenceSource = {
      id: 'tor',
      family: 'tor',
      mode: 'listing',
      riskType: 'vpn',
      pool: 'tor',
      sharedBy: 'tor',
    };
    await run(store, tor, 0, '1.2.3.4');
    await store.recordCaptures(
      { ...EVENTS, id: 'brand', family: 'brand' },
      at(1),
      batchOf([{ ip: '1.2.3.4', pool: 'brand-x', riskType: 'vpn' }]),
      LATER,
    );
    const held = (await store.observationsAt(address('1.2.3.4'), at(10))).map(({ source, pools, sharedBy }) => [
      source,
      pools,
      sharedBy,
    ]);
    assert.deepEqual(held, [
      ['brand', ['brand-x'], undefined],
      ['tor', ['tor'], 'tor'],
    ]);
    await run(store, APPEARANCE, 2, '1.2.3.4');
    await store.recordRun({ ...APPEARANCE, id: 'b', family: 'b' }, at(3), batchOf(['1.2.3.4']), LATER);
    await assertSeen(store, '1.2.3.4 10 vpn@1 vpn@0 osint@3 osint@2');
  });

  check('another connection sees the writes of this one, runs included', async ({ store, reopen }) => {
    const other = await reopen();
    assert.deepEqual(await other.observationsAt(address('1.2.3.4'), LATER), []);
    await run(store, LISTING, 0, '1.2.3.4');
    await assertSeen(other, '1.2.3.4 later proxy@0');
    await run(other, LISTING, 30, '1.2.3.4');
    await run(store, LISTING, 60, '');
    await assertSeen(store, '1.2.3.4 later proxy@30');
    await assertSeen(other, '1.2.3.4 later proxy@30');
  });

  check('changesSince names the touched prefixes, and everything once the journal is gone', async ({ store }) => {
    const first = await run(store, LISTING, 0, '1.2.3.4 5.6.7.8');
    await store.recordCaptures(EVENTS, at(7), batchOf(['5.6.7.8', '2001:db8::/32']), LATER);
    const { head, changed } = await store.changesSince(first.sequence, 100);
    assert.ok(changed !== 'all');
    assert.deepEqual(
      rowsOfColumns(changed).map(({ op, prefix, source, riskType, capturedAt }) => [
        op,
        prefix.family,
        prefix.bits,
        source,
        riskType,
        capturedAt,
      ]),
      [
        [ROW_OP.fixed, 4, 32, 'trap', 'honeypot_scan', at(7)],
        [ROW_OP.fixed, 6, 32, 'trap', 'honeypot_scan', at(7)],
      ],
    );
    const rowsSince = async (sequence: number): Promise<number | undefined> => {
      const { changed: moved } = await store.changesSince(sequence, 100);
      return moved === 'all' ? undefined : moved.rows.length;
    };
    assert.equal(await rowsSince(head.sequence), 0);
    const unchanged = await run(store, LISTING, 30, '1.2.3.4 5.6.7.8');
    const moved = await store.changesSince(head.sequence, 100);
    assert.ok(moved.changed !== 'all');
    assert.deepEqual([moved.head.sequence, moved.changed.rows.length], [unchanged.sequence, 0], 'the same entries');
    assert.deepEqual(
      moved.changed.names.sources.find(({ id }) => id === 'list'),
      { id: 'list', family: 'list', lastRunAt: at(30), runDays: 1 },
    );
    assert.equal((await store.changesSince(0, 2)).changed, 'all');
    assert.equal((await store.changesSince(unchanged.sequence + 1, 100)).changed, 'all');
    await store.recordRun(LISTING, at(60), batchOf(['1.2.3.4']), unixMs(LATER + 2 * HOUR_MS));
    assert.equal((await store.changesSince(0, 100)).changed, 'all');
    assert.equal(await store.logSince(0), undefined);
    assert.equal(await store.logSince(unchanged.sequence + 9), undefined);
    assert.equal((await store.logSince(unchanged.sequence))?.rows.length, 1);
    const ended = await store.changesSince(unchanged.sequence, 100);
    assert.ok(ended.changed !== 'all');
    assert.deepEqual(
      rowsOfColumns(ended.changed).map((row) => [row.op, row.capturedAt, row.days]),
      [[ROW_OP.ended, at(30), 1]],
    );
  });

  check('a position names one state of one store, whichever connection asks', async ({ store, reopen }) => {
    const other = await reopen();
    const stranger = await open();
    try {
      assert.deepEqual(await store.head(), { store: (await other.head()).store, sequence: 0, mark: '' });
      assert.match((await store.head()).store, /^[0-9a-f-]{32,36}$/);
      for (const minute of [0, 30, 60]) await run(store, LISTING, minute, '1.2.3.4');
      const head = await store.head();
      assert.equal((await run(store, LISTING, 60, '1.2.3.4')).changed, false);
      assert.deepEqual(await other.head(), head, 'a batch that changes nothing has no position');
      const positions = await Promise.all(
        [1, 2, 3].map(async (sequence) => (await other.changesSince(sequence, 10)).since!),
      );
      assert.deepEqual(
        positions.map(({ store: id, sequence }) => [id, sequence]),
        [1, 2, 3].map((sequence) => [head.store, sequence]),
      );
      assert.equal(new Set(positions.map(({ mark }) => mark)).size, 3);
      assert.equal(positions[2]!.mark, head.mark);
      assert.equal((await store.changesSince(4, 10)).since, undefined);
      if ('skip' in stranger) return;
      for (const minute of [0, 30, 60]) await run(stranger.store, LISTING, minute, '1.2.3.4');
      assert.notEqual((await stranger.store.head()).store, head.store);
      assert.equal(continues(head, (await stranger.store.changesSince(3, 10)).since), false, 'in another store');
    } finally {
      if (!('skip' in stranger)) await stranger.dispose();
    }
  });

  check(
    'a restored store continues no newer view, nor one of its number written since',
    async ({ store, reopen, save }) => {
      await run(store, LISTING, 0, '1.2.3.4');
      const restore = await save();
      const saved = await store.head();
      await run(store, LISTING, 30, '1.2.3.4 5.6.7.8');
      await store.recordCaptures(EVENTS, at(31), batchOf(['9.9.9.0/24']), LATER);
      const other = await reopen();
      const view = await other.head();
      const image = openEvidence((await compileEvidence(other, LATER, FIXED_SEED)).bytes.buffer);
      assert.equal((await other.observationsAt(address('9.9.9.9'), LATER)).length, 1);
      await restore();
      assert.deepEqual(await other.head(), saved);
      assert.equal(continues(view, (await other.changesSince(view.sequence, 10)).since), false);
      assert.equal(continues(saved, (await other.changesSince(saved.sequence, 10)).since), true);
      assert.equal(await mergeEvidenceSince(other, image, LATER), undefined);
      for (const connection of [store, other])
        await assertSeen(
          connection,
          `1.2.3.4 later proxy@0
           5.6.7.8 later
           9.9.9.9 later`,
        );

      await store.recordCaptures({ ...EVENTS, id: 'young' }, at(40), batchOf(['9.9.9.0/24', '2001:db8::/40']), LATER);
      await store.recordRun({ ...LISTING, id: 'younger' }, at(50), batchOf(['5.6.7.8']), LATER);
      assert.equal((await other.head()).sequence, view.sequence);
      assert.equal(continues(view, (await other.changesSince(view.sequence, 10)).since), false, 'other batches');
      assert.equal(await mergeEvidenceSince(other, image, LATER), undefined);
      assert.equal(continues(saved, (await other.changesSince(saved.sequence, 10)).since), true);
      for (const connection of [store, other]) {
        await assertSeen(
          connection,
          `1.2.3.4 later proxy@0
           5.6.7.8 later proxy@50
           9.9.9.9 later honeypot_scan@40
           2001:db8::1 later honeypot_scan@40`,
        );
      }
    },
  );

  check('sources have their newest run, rows and last failure, until they are read again', async ({ store }) => {
    await run(store, LISTING, 30, '1.2.3.4 5.6.7.8');
    await store.recordFailure(APPEARANCE, at(40));
    const [list, seen] = await store.sources();
    assert.deepEqual(
      [list?.id, list?.riskType, list?.lastRunAt, list?.rows, list?.lastErrorAt],
      ['list', 'proxy', at(30), 2, undefined],
    );
    assert.deepEqual([seen?.id, seen?.lastRunAt, seen?.lastErrorAt], ['seen', undefined, at(40)]);
    const { sequence, latestAt } = await store.head();
    assert.deepEqual([sequence, latestAt], [1, at(30)]);
    const failed = async () => (await store.sources()).map(({ id, lastErrorAt }) => [id, lastErrorAt]);
    await store.recordFailure(LISTING, at(50));
    assert.deepEqual(await failed(), [
      ['list', at(50)],
      ['seen', at(40)],
    ]);
    assert.equal((await run(store, LISTING, 30, '1.2.3.4 5.6.7.8')).changed, false);
    assert.deepEqual(
      await failed(),
      [
        ['list', undefined],
        ['seen', at(40)],
      ],
      'the list of before the failure is read again',
    );
    await run(store, APPEARANCE, 20, '1.2.3.4');
    assert.deepEqual(await failed(), [
      ['list', undefined],
      ['seen', undefined],
    ]);
  });

  check('compacting keeps the first and last capture and every answer of the last 30 days', async ({ store }) => {
    for (const n of [0, 10, 20, 40, 70, 90, 100]) {
      await store.recordRun(LISTING, day(n), batchOf(n < 30 ? ['1.1.1.1', '3.3.3.3'] : ['2.2.2.2', '3.3.3.3']), day(n));
      await store.recordRun(APPEARANCE, day(n), batchOf(['4.4.4.4']), day(n));
      await store.recordCaptures(EVENTS, day(n), batchOf(['5.5.5.5']), day(n));
    }
    assert.equal(await store.earliest(), day(0));
    const ips = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4', '5.5.5.5'];
    const instants = Array.from({ length: 107 }, (_, step) => unixMs(T0 + (70 * 24 + step * 7) * HOUR_MS));
    const answers = async () => {
      const all: (readonly Observation[])[] = [];
      for (const ip of ips) all.push(...(await store.observationsAtEach(address(ip), instants)));
      return all;
    };
    const before = await answers();
    const outcome = await store.compact(day(100));
    assert.ok(outcome.events > 0 && outcome.spells > 0);
    assert.equal(await store.earliest(), day(70));
    const after = await answers();
    // Only evidence past every window may lose its day mask; its time must not change.
    assert.deepEqual(after.map(capturesOf), before.map(capturesOf));
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.1.1.1'), day(5000))), [`proxy@${20 * 1440}`]);
    assert.deepEqual(await store.compact(day(100)), { spells: 0, events: 0 });
  });

  check('compacting forgets a list’s notes of pools it left, and no capture', async ({ store, countSeries }) => {
    const pools = Array.from({ length: 10 }, (_, n) => ({ ip: `9.9.9.${n}`, pool: `pool ${n}` }));
    await store.recordRun(APPEARANCE, day(0), batchOf(pools), day(0));
    await store.recordRun(APPEARANCE, day(1), batchOf(['4.4.4.4', ...pools.slice(0, 1)]), day(1));
    assert.equal(await countSeries(), 22);
    await store.compact(day(20));
    assert.equal(await countSeries(), 22, 'their detail is still there');
    await store.compact(day(100));
    assert.equal(await countSeries(), 13);
    for (const { ip } of pools)
      assert.deepEqual(capturesOf(await store.observationsAt(address(ip), day(100))), ['osint@0'], ip);
    // A pool that returns is new to the list, and the one that stayed is not.
    await store.recordRun(APPEARANCE, day(101), batchOf(pools.slice(0, 2)), day(101));
    assert.deepEqual(capturesOf(await store.observationsAt(address('9.9.9.0'), day(102))), ['osint@0']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('9.9.9.1'), day(102))), [`osint@${101 * 1440}`]);
  });

  check('compacting keeps the rows of a longer history, and imports of the last week', async ({ store }) => {
    for (const n of [0, 10, 20])
      await store.recordRun(LISTING, day(n), batchOf(n < 20 ? ['1.1.1.1'] : ['2.2.2.2']), day(n));
    assert.deepEqual(await store.compact(day(100), 100), { spells: 0, events: 0 });
    await store.recordRun({ ...LISTING, id: 'archive' }, day(1), batchOf(['3.3.3.3']), day(98));
    assert.deepEqual(await store.compact(day(100)), { spells: 0, events: 0 }, 'the archive came two days ago');
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.1.1.1'), day(5))), ['proxy@0']);
    await store.follow(day(0));
    assert.equal(await store.earliest(), day(0));
    assert.deepEqual(await store.compact(day(105.5)), { spells: 1, events: 0 });
    assert.equal(await store.earliest(), day(105 - 30));
  });

  check('the record begins with the first batch or where an import says so', async ({ store, reopen }) => {
    assert.equal(await store.earliest(), undefined);
    await store.recordRun(LISTING, at(-90_000), batchOf(['1.1.1.1']), at(60));
    assert.equal(await store.earliest(), at(60), 'a list that was published long before it was first read');
    await trapped(store, [{ ip: '2.2.2.2', at: unixMs(Date.UTC(2015, 0, 1)) }], at(70));
    await store.recordRun({ ...APPEARANCE, id: 'old' }, at(-500), batchOf(['3.3.3.3']), at(80));
    assert.equal(await store.earliest(), at(60), 'nothing was watched in 2015');
    await store.follow(at(-1000));
    await store.follow(at(-10));
    const other = await reopen();
    assert.equal(await other.earliest(), at(-1000), 'the start of a series');
  });

  check('which sources verdicts lacked is known for every moment, silence included', async ({ store, reopen }) => {
    assert.equal(await store.leftOutAt(at(0)), undefined, 'nothing was ever expected');
    await store.noteLeftOut(undefined, at(0));
    assert.equal(await store.leftOutAt(at(1)), undefined, 'nothing was ever expected, and nothing is');
    const note = async (ids: readonly string[] | undefined, ...minutes: readonly number[]) => {
      for (const minute of minutes)
        await store.noteLeftOut(ids && { ids, retired: ['r', 'q'], expected: 5, since: at(-9) }, at(minute));
    };
    await note(['b', 'a'], 10, 11, 12);
    await note([], 13, 14);
    await note(['a'], 100);
    await note([], 101);
    const other = await reopen();
    const seen: unknown[] = [];
    for (const minute of [9, 10, 12.9, 13, 19, 19.1, 99.9, 100, 101, 106, 106.1])
      seen.push(await other.leftOutAt(at(minute)));
    const silent = { ids: [], retired: [], expected: 0, silent: true };
    const whole = { ids: [], retired: ['q', 'r'], expected: 5, since: at(-9), silent: false };
    const both = { ...whole, ids: ['a', 'b'] };
    assert.deepEqual(seen, [
      silent,
      both,
      both,
      whole,
      whole,
      silent,
      silent,
      { ...whole, ids: ['a'] },
      whole,
      whole,
      { ...whole, silent: true },
    ]);
    await note(undefined, 107);
    assert.deepEqual(
      [await other.leftOutAt(at(9000)), await other.leftOutAt(at(106.5))],
      [{ ...silent, silent: false }, silent],
    );
  });

  check('a batch that fails leaves nothing behind', async ({ store }) => {
    // The address of the second row is missing. It can be hashed and sorted, and fails when it is written,
    // after the first row.
    const whole = batchOf(['1.2.3.4', '5.6.7.8']);
    const broken = { ...whole, words: whole.words.subarray(0, 4) };
    await assert.rejects(async () => store.recordRun(LISTING, at(0), broken, LATER));
    const { store: id, ...head } = await store.head();
    assert.deepEqual(head, { sequence: 0, mark: '' });
    assert.deepEqual(await store.sources(), []);
    await run(store, LISTING, 0, '1.2.3.4');
    await assertSeen(store, '1.2.3.4 later proxy@0');
    assert.equal((await store.head()).store, id);
  });

  derivedCapturesContract(check);
  deliveriesContract(check);
  historyStoriesContract(name, open, stories);
}
