import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FIXED_SEED } from '../../../test/support/fixed-seed.ts';
import { rowsOfScan } from '../../../test/support/rows-of-scan.ts';
import type { RISK_TYPES } from '../../contract/risk.ts';
import type { CollectionFacts } from '../../core/collection/collection-facts.ts';
import { DERIVATION_RULES } from '../../core/collection/derivation-rules.ts';
import { CaptureBatchBuilder } from '../../core/evidence/capture-batch-builder.ts';
import { foldObservations } from '../../core/evidence/fold-observations.ts';
import type { CaptureBatch, EvidenceSource, Observation } from '../../core/evidence/observation.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import { continues, type LiveSource, NOWHERE } from '../../engine/evidence/evidence-delta.ts';
import { emptyEvidence, openEvidence } from '../../engine/evidence/evidence-image.ts';
import { LiveEvidence } from '../../engine/evidence/live-evidence.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile-evidence.ts';
import type { Delivery, HistoryStore, LiveRow } from '../../service/ports.ts';

/** Opens an empty store; `reopen` gives a second connection to the same one, as another process would have. */
export interface HistoryFixture {
  readonly store: HistoryStore;
  readonly reopen: () => HistoryStore | Promise<HistoryStore>;
  /** Keeps a copy of the store as it is now; what it returns puts that copy in the store's place, by another process's means. */
  readonly save: () => Promise<() => void | Promise<void>>;
  /** How many series the store knows. */
  readonly countSeries: () => number | Promise<number>;
  readonly dispose: () => void | Promise<void>;
}

const T0 = Date.UTC(2026, 5, 1);
const at = (minutes: number): UnixMs => unixMs(T0 + minutes * MINUTE_MS);
const LATER = unixMs(T0 + 200 * DAY_MS);

const LISTING: EvidenceSource = { id: 'list', family: 'list', mode: 'listing', riskType: 'proxy' };
const APPEARANCE: EvidenceSource = { id: 'seen', family: 'seen', mode: 'appearance', riskType: 'osint' };
const EVENTS: EvidenceSource = { id: 'trap', family: 'trap', mode: 'events', riskType: 'honeypot_scan' };

type Row =
  | string
  | { readonly ip: string; readonly at?: UnixMs; readonly pool?: string; readonly riskType?: (typeof RISK_TYPES)[number]; readonly actor?: string };

const batchOf = (rows: readonly Row[]): CaptureBatch => {
  const builder = new CaptureBatchBuilder(4);
  for (const row of rows) {
    const { ip, at: capturedAt, pool, riskType, actor } = typeof row === 'string' ? { ip: row } : row;
    const detail = {
      ...(capturedAt === undefined ? {} : { capturedAt }),
      ...(pool === undefined ? {} : { pool }),
      ...(riskType === undefined ? {} : { riskType }),
    };
    builder.add(parsePrefix(ip)!, detail);
    if (actor !== undefined) builder.addSensor({ actor });
  }
  return builder.build();
};

const address = (text: string) => parseAnyAddress(text)!;
const capturesOf = (rows: readonly Observation[]) => rows.map((row) => `${row.riskType}@${(row.capturedAt - T0) / MINUTE_MS}`);

/** By family and first byte. */
const USAGE_TYPES: ReadonlyMap<string, string> = new Map(Object.entries({ '4 20': 'DYN', '4 30': 'IDC', '4 40': 'DYN', '6 42': 'DYN' }));

/** Network data of the suite: 20.0.0.0/8 and 2a00::/8 are homes, 30.0.0.0/8 is hosting, 40.0.0.0/8 homes with a known service among them; of other space nothing is known. */
export const CONTRACT_FACTS: CollectionFacts = {
  network: ({ family, w0 }) => {
    const usageType = USAGE_TYPES.get(`${family} ${w0 >>> 24}`);
    return { usageType, hosting: usageType === 'IDC', mobile: false, crawler: false, relay: false, asn: usageType === undefined ? undefined : 64500 };
  },
  isKnownGood: ({ w0 }) => w0 >>> 24 === 40,
};

/** The suite every HistoryStore passes. @param open an empty store, or why none can be had here
 * @param stories random stories to play; a store behind a network is asked thousands of times a story */
export function historyContract(name: string, open: () => HistoryFixture | Promise<HistoryFixture | { readonly skip: string }>, stories = 60): void {
  const check = (title: string, body: (fixture: HistoryFixture) => Promise<void>): void => {
    test(`${name}: ${title}`, async (t) => {
      const fixture = await open();
      if ('skip' in fixture) return t.skip(fixture.skip);
      try {
        await body(fixture);
      } finally {
        await fixture.dispose();
      }
    });
  };

  check('an entry is captured by every run that holds it, and by no other', async ({ store }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4', '5.6.7.0/24']), LATER);
    await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(LISTING, at(60), batchOf(['5.6.7.0/24']), LATER);
    const seen = async (ip: string, minute: number) => capturesOf(await store.observationsAt(address(ip), at(minute)));
    assert.deepEqual(await seen('1.2.3.4', -1), []);
    assert.deepEqual(await seen('1.2.3.4', 0), ['proxy@0']);
    assert.deepEqual(await seen('1.2.3.4', 29), ['proxy@0']);
    assert.deepEqual(await seen('1.2.3.4', 30), ['proxy@30']);
    assert.deepEqual(await seen('1.2.3.4', 600), ['proxy@30']);
    assert.deepEqual(await seen('5.6.7.8', 45), ['proxy@0']);
    assert.deepEqual(await seen('5.6.7.8', 60), ['proxy@60']);
    assert.deepEqual(await seen('9.9.9.9', 60), []);
  });

  check('many instants in one read are answered as each of them alone', async ({ store }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4', '1.2.3.0/24']), LATER);
    await store.recordRun(LISTING, at(1440), batchOf(['1.2.3.0/24']), LATER);
    const days = Array.from({ length: 40 }, (_, day) => ({ ip: '1.2.3.4', at: at(day * 1440 + 7) }));
    await store.recordCaptures(EVENTS, at(0), batchOf(days), LATER);
    const instants = Array.from({ length: 121 }, (_, step) => at(-1000 + step * 500));
    const alone: (readonly Observation[])[] = [];
    for (const instant of instants) alone.push(await store.observationsAt(address('1.2.3.4'), instant));
    const together = await store.observationsAtEach(address('1.2.3.4'), instants);
    assert.deepEqual(together, alone);
    assert.deepEqual([together[0], capturesOf(together[2]!)], [[], ['proxy@0', 'proxy@0']]);
    assert.deepEqual(await store.observationsAtEach(address('1.2.3.4'), []), []);
    assert.deepEqual(await store.observationsAtEach(address('9.9.9.9'), instants.slice(0, 2)), [[], []]);
  });

  check('own collection in many addresses of one /64 derives a range, with its reason, once, over several connections', async ({ store, reopen }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const rows = Array.from({ length: addresses }, (_, i) => ({
      ip: `2a00:1:2:3::${(i + 1).toString(16)}`,
      at: at(i),
      riskType: 'honeypot_credential' as const,
    }));
    const inRange = address('2a00:1:2:3:ffff::');
    const ranges = async (minute: number) => capturesOf(await store.observationsAt(inRange, at(minute)));
    const other = await reopen();
    const half = addresses >> 1;
    await store.recordCaptures(EVENTS, at(0), batchOf(rows.slice(0, half)), at(half));
    await other.recordCaptures({ ...EVENTS, id: 'another', family: 'another' }, at(0), batchOf(rows.slice(half, -1)), at(addresses));
    assert.deepEqual(await ranges(addresses), []);
    const outcome = await store.recordCaptures(EVENTS, at(0), batchOf(rows.slice(-1)), at(addresses));
    assert.equal(outcome.sequence, (await other.head()).sequence);
    assert.deepEqual([outcome.rows, outcome.added], [1, 1]);
    const moment = addresses - 1;
    assert.deepEqual(await ranges(addresses), [`ipv6_range@${moment}`]);
    assert.deepEqual([await ranges(moment), await ranges(moment - 1)], [[`ipv6_range@${moment}`], []]);
    assert.deepEqual(await store.derivationsAt(inRange, at(moment)), [
      {
        prefix: parsePrefix('2a00:1:2:3::/64')!,
        riskType: 'ipv6_range',
        at: at(moment),
        sources: ['another', 'trap'],
        reason: `${addresses} addresses of this /64 within a day (rules ${DERIVATION_RULES.version})`,
      },
    ]);
    assert.deepEqual(await store.derivationsAt(inRange, at(moment - 1)), []);
    // Sent again under another moment, and by another node: nothing is derived twice.
    await other.recordCaptures(EVENTS, at(1), batchOf(rows), at(addresses + 1));
    assert.deepEqual(await ranges(addresses + 1), [`ipv6_range@${moment}`]);
    assert.equal((await store.sources()).find(({ id }) => id === 'derived')?.rows, 1);
    const live = (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived');
    assert.deepEqual(
      live.map(({ riskType, capturedAt }) => [riskType, capturedAt]),
      [['ipv6_range', at(moment)]],
    );
    await other.close();
  });

  check('an older capture that arrives late makes the range begin with it, and only own collection of single addresses makes one', async ({ store }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const row = (i: number, minute: number, riskType: 'honeypot_scan' | 'osint') => ({ ip: `2a00:1:2:3::${(i + 1).toString(16)}`, at: at(minute), riskType });
    const ranges = async () =>
      (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived').map(({ capturedAt }) => (capturedAt - T0) / MINUTE_MS);
    await store.recordCaptures(EVENTS, at(0), batchOf(Array.from({ length: addresses }, (_, i) => row(i, i, 'osint'))), LATER);
    await store.recordCaptures(EVENTS, at(0), batchOf(Array.from({ length: addresses }, (_, i) => ({ ip: `2a00:1:2:3:${i.toString(16)}::/80` }))), LATER);
    await store.recordCaptures(EVENTS, at(0), batchOf(Array.from({ length: addresses - 1 }, (_, i) => row(i + 1, 100 + i, 'honeypot_scan'))), LATER);
    assert.deepEqual(await ranges(), []);
    await store.recordCaptures(EVENTS, at(0), batchOf([row(0, 50, 'honeypot_scan')]), LATER);
    assert.deepEqual(await ranges(), [100 + addresses - 2]);
  });

  check('an attack from an access network while a source lists the address as a proxy derives a hijacked proxy', async ({ store, reopen }) => {
    const other: EvidenceSource = { id: 'exits', family: 'exits', mode: 'events', riskType: 'proxy' };
    await store.recordRun(LISTING, at(0), batchOf(['20.0.0.1', '20.0.0.2', '20.0.0.7/32', '30.0.0.1', '40.0.0.1', '20.0.1.0/24']), at(0));
    await store.recordRun(LISTING, at(600), batchOf(['20.0.0.1', '30.0.0.1', '40.0.0.1', '20.0.1.0/24']), at(600));
    await store.recordCaptures(other, at(0), batchOf([{ ip: '20.0.0.3', at: at(590) }]), at(600));
    const within = DERIVATION_RULES.hijackedProxy.listedWithinMs / MINUTE_MS;
    const attack = (ip: string, minute: number) => ({ ip, at: at(minute), riskType: 'honeypot_credential' as const });
    const node = await reopen();
    await node.recordCaptures(
      EVENTS,
      at(0),
      batchOf([
        attack('20.0.0.1', -1),
        attack('20.0.0.1', 620),
        attack('20.0.0.1', 650),
        attack('20.0.0.1', 680),
        attack('20.0.0.2', within - 1),
        attack('20.0.0.7', within),
        attack('20.0.0.3', 600),
        attack('20.0.0.4', 600),
        attack('20.0.1.9', 600),
        attack('30.0.0.1', 600),
        attack('40.0.0.1', 600),
      ]),
      at(3000),
    );
    await store.recordCaptures(EVENTS, at(0), batchOf([attack('20.0.0.1', 620), attack('20.0.0.1', 681)]), at(3000));
    const rows = (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived');
    assert.deepEqual(rows.map(({ prefix, riskType }) => [prefix.w0, prefix.bits, riskType]).sort(), [
      [0x14000001, 32, 'hijacked_proxy'],
      [0x14000002, 32, 'hijacked_proxy'],
      [0x14000003, 32, 'hijacked_proxy'],
    ]);
    const hijacked = async (ip: string, minute: number) =>
      capturesOf((await store.observationsAt(address(ip), at(minute))).filter(({ riskType }) => riskType === 'hijacked_proxy'));
    assert.deepEqual([await hijacked('20.0.0.1', 619), await hijacked('20.0.0.1', 620)], [[], ['hijacked_proxy@620']]);
    assert.deepEqual([await hijacked('20.0.0.1', 679), await hijacked('20.0.0.1', 3000)], [['hijacked_proxy@620'], ['hijacked_proxy@680']]);
    assert.deepEqual(await hijacked('20.0.0.2', 3000), [`hijacked_proxy@${within - 1}`]);
    const [note] = await store.derivationsAt(address('20.0.0.1'), at(3000));
    assert.deepEqual([note?.at, note?.sources], [at(680), ['trap']]);
    assert.equal(note?.reason, `trap saw it attack while list listed it, on DYN space (rules ${DERIVATION_RULES.version})`);
    await node.close();
  });

  check('one actor at address after address of one access network derives a dial-up pool, over batches and connections', async ({ store, reopen }) => {
    const { changes } = DERIVATION_RULES.dialupPool;
    const node = await reopen();
    const ips = Array.from({ length: changes + 1 }, (_, i) => `20.0.${i}.1`);
    const stay = (ip: string, minute: number, actor: string) => [0, 1].map((second) => ({ ip, at: at(minute + second / 60), actor }));
    for (const [i, ip] of ips.entries()) {
      assert.deepEqual(
        (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived'),
        [],
      );
      await (i % 2 === 0 ? store : node).recordCaptures(EVENTS, at(0), batchOf([...stay(ip, i, 'redials'), ...stay(`20.9.0.${i}`, 100 * i, 'slow'), ...stay(`30.0.0.${i}`, i, 'hosted')]), LATER); // biome-ignore format: one row
    }
    const derived = (await store.scan(rowsOfScan)).filter(({ source }) => source === 'derived');
    assert.deepEqual(derived.map(({ prefix, riskType, pool, capturedAt }) => [prefix.w0, riskType, pool, (capturedAt - T0) / MINUTE_MS]), ips.map((_, i) => [0x14000001 + 256 * i, 'dialup_pool', 'dial-up 20.0.0.0/16', changes])); // biome-ignore format: one row
    await store.recordCaptures(EVENTS, at(0), batchOf(stay('20.0.99.1', ips.length, 'redials')), LATER);
    assert.deepEqual(capturesOf(await node.observationsAt(address('20.0.99.1'), LATER)).sort(), [
      `dialup_pool@${ips.length}`,
      `honeypot_scan@${ips.length + 1 / 60}`,
    ]);
    const [note] = await node.derivationsAt(address('20.0.99.1'), LATER);
    assert.match(note?.reason ?? '', new RegExp(`20\\.0\\.0\\.0/16, ${ips.length + 1} of them`));
    await node.close();
  });

  check('what derived captures rest on is forgotten after some days; the capture is not', async ({ store }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const rows = Array.from({ length: addresses }, (_, i) => ({ ip: `2a00:1:2:3::${(i + 1).toString(16)}`, at: at(i) }));
    await store.recordCaptures(EVENTS, at(0), batchOf(rows), at(addresses));
    const inRange = address('2a00:1:2:3:ffff::');
    await store.compact(at(2 * 1440));
    assert.equal((await store.derivationsAt(inRange, LATER)).length, 1);
    await store.compact(LATER, 0);
    assert.deepEqual(await store.derivationsAt(inRange, LATER), []);
    assert.deepEqual(capturesOf(await store.observationsAt(inRange, LATER)), [`ipv6_range@${addresses - 1}`]);
  });

  check('a missed run does not end a spell', async ({ store }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(LISTING, at(10_000), batchOf(['1.2.3.4']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(9_999))), ['proxy@0']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(10_000))), ['proxy@10000']);
  });

  check('the same run or batch twice changes nothing', async ({ store }) => {
    const first = await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    const again = await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), unixMs(LATER + 1));
    assert.equal(first.changed, true);
    assert.deepEqual([again.changed, again.sequence, again.added], [false, first.sequence, 0]);
    await store.recordCaptures(EVENTS, at(0), batchOf([{ ip: '1.2.3.4', at: at(5) }]), LATER);
    const twice = await store.recordCaptures(EVENTS, at(0), batchOf([{ ip: '1.2.3.4', at: at(5) }]), LATER);
    assert.deepEqual([twice.changed, twice.added], [false, 0]);
    assert.equal((await store.head()).sequence, twice.sequence);
  });

  check('a late run without the entry splits its spell and takes no capture away', async ({ store }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(LISTING, at(60), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(LISTING, at(30), batchOf(['9.9.9.9']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(45))), ['proxy@0']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(60))), ['proxy@60']);
    await store.recordRun(LISTING, at(45), batchOf(['9.9.9.9', '1.2.3.4']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(50))), ['proxy@45']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('9.9.9.9'), at(90))), ['proxy@45']);
  });

  check('a late run without an entry reports to followers that its spell was split', async ({ store }) => {
    const day = (n: number): UnixMs => at(n * 1440);
    for (const n of [0, 4]) await store.recordRun(LISTING, day(n), batchOf(['1.2.3.4']), LATER);
    const late = await store.recordRun(LISTING, day(2), batchOf([]), LATER);
    const { changed, sources } = await store.changesSince(late.sequence - 1, 10);
    assert.ok(changed !== 'all');
    assert.deepEqual(
      changed.flatMap(({ rows }) => rows.map((row) => [row.following, row.capturedAt, row.days])),
      [
        [false, day(0), 1],
        [true, day(4), 0],
      ],
    );
    assert.deepEqual(
      sources.map(({ lastRunAt, runDays }) => [lastRunAt, runDays]),
      [[day(4), 0b10101]],
    );
    assert.equal((await store.observationsAt(address('1.2.3.4'), day(4)))[0]?.days, 0b10001);
  });

  check('a second reading at the time of a run adds its entries and removes none', async ({ store }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(LISTING, at(30), batchOf(['5.6.7.8']), LATER);
    const outcome = await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4']), LATER);
    assert.equal(outcome.changed, true);
    for (const ip of ['1.2.3.4', '5.6.7.8']) assert.deepEqual(capturesOf(await store.observationsAt(address(ip), at(31))), ['proxy@30'], ip);
    await store.recordRun(LISTING, at(60), batchOf(['1.2.3.4']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('5.6.7.8'), at(61))), ['proxy@30']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(61))), ['proxy@60']);
  });

  check('an appearance list captures an entry when it appears, not while it stays', async ({ store }) => {
    await store.recordRun(APPEARANCE, at(0), batchOf(['1.2.3.4']), LATER);
    await store.recordRun(APPEARANCE, at(30), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    await store.recordRun(APPEARANCE, at(60), batchOf(['5.6.7.8']), LATER);
    await store.recordRun(APPEARANCE, at(90), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(89))), ['osint@0']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(90))), ['osint@90']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('5.6.7.8'), at(90))), ['osint@30']);
  });

  check("an appearance list takes a newer time of an entry's own, and a late earlier run takes no capture away", async ({ store }) => {
    await store.recordRun(APPEARANCE, at(30), batchOf([{ ip: '1.2.3.4', at: at(10) }, '5.6.7.8']), LATER);
    await store.recordRun(APPEARANCE, at(60), batchOf([{ ip: '1.2.3.4', at: at(50) }, '5.6.7.8']), LATER);
    await store.recordRun(APPEARANCE, at(20), batchOf(['5.6.7.8']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(40))), ['osint@10']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(60))), ['osint@50']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('5.6.7.8'), at(25))), ['osint@20']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('5.6.7.8'), at(60))), ['osint@30']);
  });

  check('a capture up to five minutes ahead counts from its acceptance, one further ahead is refused and counted', async ({ store }) => {
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
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.1.1.1'), now)), ['honeypot_scan@100']);
    assert.deepEqual(await store.observationsAt(address('2.2.2.2'), LATER), []);
    const run = await store.recordRun(LISTING, unixMs(now + 5 * MINUTE_MS + 1), batchOf(['3.3.3.3']), now);
    assert.deepEqual([run.changed, run.rows, run.refused.get('ahead_of_clock')], [false, 0, 1]);
    await store.recordRun(LISTING, unixMs(now + 5 * MINUTE_MS), batchOf(['3.3.3.3']), now);
    assert.deepEqual(capturesOf(await store.observationsAt(address('3.3.3.3'), now)), ['proxy@100']);
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

  check('a row with bits past its length, or a length its family has not, is refused and counted', async ({ store }) => {
    const batch = batchOf(['1.2.3.0/24', '2001:db8::/32', '1.2.3.4']);
    batch.words[0] = batch.words[0]! + 1;
    batch.words[7] = 1;
    batch.bits[2] = 33;
    const outcome = await store.recordRun(LISTING, at(0), batch, LATER);
    assert.deepEqual([outcome.rows, outcome.refused.get('not_a_prefix')], [0, 3]);
  });

  check('prefixes of every length and both families are found by the addresses in them', async ({ store }) => {
    await store.recordCaptures(
      EVENTS,
      at(0),
      batchOf(['1.2.3.4', '1.2.3.0/24', '1.0.0.0/8', '2001:db8:1::/48', '2001:db8:1:2::/64', '2001:db8:1:2::3', '0.0.0.0/0']),
      LATER,
    );
    const bits = async (ip: string) => (await store.observationsAt(address(ip), LATER))[0]?.prefixBits;
    assert.deepEqual([await bits('1.2.3.4'), await bits('1.2.3.5'), await bits('1.9.9.9'), await bits('77.7.7.7')], [32, 24, 8, 0]);
    assert.deepEqual(
      [await bits('2001:db8:1:2::3'), await bits('2001:db8:1:2::4'), await bits('2001:db8:1:3::4'), await bits('2001:db9::')],
      [128, 64, 48, undefined],
    );
  });

  check('sources stay apart, each with its pool and what it says of sharing', async ({ store }) => {
    const tor: EvidenceSource = { id: 'tor', family: 'tor', mode: 'listing', riskType: 'vpn', pool: 'tor', sharedBy: 'tor' };
    await store.recordRun(tor, at(0), batchOf(['1.2.3.4']), LATER);
    await store.recordCaptures({ ...EVENTS, id: 'brand', family: 'brand' }, at(1), batchOf([{ ip: '1.2.3.4', pool: 'brand-x', riskType: 'vpn' }]), LATER);
    const held = (await store.observationsAt(address('1.2.3.4'), at(10))).map(({ source, pools, sharedBy }) => [source, pools, sharedBy]);
    assert.deepEqual(held, [
      ['brand', ['brand-x'], undefined],
      ['tor', ['tor'], 'tor'],
    ]);
    await store.recordRun(APPEARANCE, at(2), batchOf(['1.2.3.4']), LATER);
    await store.recordRun({ ...APPEARANCE, id: 'b', family: 'b' }, at(3), batchOf(['1.2.3.4']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), at(10))), ['vpn@1', 'vpn@0', 'osint@3', 'osint@2']);
  });

  check('a delivery is taken in once, with the answer it got, and its id stands for nothing else', async ({ store, reopen }) => {
    const other = await reopen();
    try {
      const captures = (ips: readonly string[]) => [
        { source: EVENTS, defaultAt: at(0), batch: batchOf(ips) },
        { source: { ...EVENTS, id: 'derived', family: 'derived' }, defaultAt: at(0), batch: batchOf(['9.9.9.9']) },
      ];
      const delivery = (id: string, digest = 1, account = 'acc_1'): Delivery => ({
        account,
        id,
        digest: Uint8Array.of(digest),
        answer: (outcomes) => JSON.stringify(outcomes.map(({ added }) => added)),
      });
      const first = await store.recordDelivery(captures(['1.2.3.4', '5.6.7.8']), LATER, { delivery: delivery('a') });
      assert.deepEqual(first.status === 'taken' && first.outcomes.map(({ rows, added, sequence }) => [rows, added, sequence]), [
        [2, 2, 1],
        [1, 1, 2],
      ]);
      const again = { status: 'replayed', answer: '[2,1]' };
      assert.deepEqual(await other.recordDelivery(captures(['1.2.3.4', '5.6.7.8']), unixMs(LATER + 7 * DAY_MS), { delivery: delivery('a') }), again);
      assert.deepEqual(await store.recordDelivery(captures(['7.7.7.7']), LATER, { delivery: delivery('a', 2) }), { status: 'differs' });
      assert.equal((await store.head()).sequence, 2, 'neither made a batch');
      assert.deepEqual(await store.observationsAt(address('7.7.7.7'), LATER), []);
      assert.equal((await store.recordDelivery(captures(['7.7.7.7']), LATER, { delivery: delivery('a', 2, 'acc_2') })).status, 'taken', 'another account');
      assert.equal((await store.recordDelivery(captures(['7.7.7.8']), unixMs(LATER + 9 * DAY_MS), { delivery: delivery('b') })).status, 'taken');
      assert.equal((await store.recordDelivery(captures(['7.7.7.9']), LATER, { delivery: delivery('a', 3) })).status, 'taken', 'forgotten after its days');
      assert.deepEqual(capturesOf(await other.observationsAt(address('9.9.9.9'), LATER)), ['honeypot_scan@0']);
    } finally {
      await other.close();
    }
  });

  check('a budget holds so many rows a window, whatever connection takes them, and a refused delivery counts nowhere', async ({ store, reopen }) => {
    const other = await reopen();
    try {
      const budgets = [
        { name: 'source a', most: 3, windowMs: MINUTE_MS },
        { name: 'source a', most: 5, windowMs: HOUR_MS },
      ];
      const named = (id: string): Delivery => ({ account: 'acc_1', id, digest: Uint8Array.of(1), answer: () => '' });
      const take = async (of: HistoryStore, ips: readonly string[], after: number, id = String(after)) => {
        const outcome = await of.recordDelivery([{ source: EVENTS, defaultAt: at(0), batch: batchOf(ips) }], unixMs(LATER + after), {
          budgets,
          delivery: named(id),
        });
        return outcome.status === 'over_budget' ? outcome.until - LATER : outcome.status;
      };
      assert.equal(await take(store, ['1.0.0.1', '1.0.0.2'], 0), 'taken');
      assert.equal(await take(other, ['1.0.0.3', '1.0.0.4'], 1, 'again'), MINUTE_MS, 'the minute has room for one');
      assert.deepEqual(await store.observationsAt(address('1.0.0.3'), LATER), []);
      assert.equal(await take(other, ['1.0.0.3'], 2), 'taken');
      assert.equal(await take(store, ['1.0.0.1', '1.0.0.2'], 0), 'replayed', 'a batch that was there costs nothing');
      assert.equal(await take(store, ['1.0.0.5'], MINUTE_MS - 1), MINUTE_MS);
      assert.equal(await take(store, ['1.0.0.3', '1.0.0.4'], MINUTE_MS, 'again'), 'taken', 'its name is not taken by the refusal');
      assert.equal(await take(store, ['1.0.0.6'], 2 * MINUTE_MS), HOUR_MS, 'the hour holds five');
      assert.equal(await take(other, ['1.0.0.6'], HOUR_MS), 'taken');
      assert.equal(await take(store, ['1.0.0.7', '1.0.0.8'], HOUR_MS - 1), 'taken', 'a clock that is a little behind counts in the same window');
      assert.equal(await take(store, ['1.0.0.9'], HOUR_MS - 2), HOUR_MS + MINUTE_MS);
      assert.equal(await take(store, ['1.0.0.7', '1.0.0.8', '1.0.0.9'], -2 * HOUR_MS), 'taken', 'one that is far behind begins another');
    } finally {
      await other.close();
    }
  });

  check('a delivery that fails leaves neither rows nor its id', async ({ store }) => {
    const broken: Delivery = {
      account: 'acc_1',
      id: 'a',
      digest: Uint8Array.of(1),
      answer: () => {
        throw new Error('no answer');
      },
    };
    const captures = [{ source: EVENTS, defaultAt: at(0), batch: batchOf(['1.2.3.4']) }];
    await assert.rejects(async () => store.recordDelivery(captures, LATER, { delivery: broken }), /no answer/);
    assert.deepEqual([await store.observationsAt(address('1.2.3.4'), LATER), (await store.head()).sequence], [[], 0]);
    assert.equal((await store.recordDelivery(captures, LATER, { delivery: { ...broken, answer: () => '' } })).status, 'taken');
  });

  check('captures that are taken back count no more from that moment on, and answers about the time before stay as they were', async ({ store, reopen }) => {
    const other = await reopen();
    try {
      const seen = async (ip: string, minute: number) => capturesOf(await other.observationsAt(address(ip), at(minute))).toSorted();
      const other1: EvidenceSource = { ...EVENTS, id: 'other', family: 'other' };
      const dated = (ip: string, ...minutes: readonly number[]) => minutes.map((minute) => ({ ip, at: at(minute) }));
      const day = 24 * 60;
      await store.recordCaptures(
        EVENTS,
        at(0),
        batchOf([...dated('1.2.3.4', 10, 20, 30, day + 10, day + 50), ...dated('1.2.3.5', 20), ...dated('2001:db8::1', 25)]),
        at(2 * day),
      );
      await store.recordCaptures(other1, at(0), batchOf(dated('1.2.3.4', 25)), at(2 * day));
      await store.recordRun(LISTING, at(20), batchOf(['1.2.3.5']), at(2 * day));
      const before = await other.head();
      const madeAt = at(3 * day);
      const taken = { source: EVENTS.id, from: at(20), to: at(day + 50), madeAt };
      assert.deepEqual(await store.retract({ ...taken, source: 'stranger' }), { status: 'unknown_source' });
      assert.deepEqual(await store.retract({ ...taken, source: LISTING.id }), { status: 'list' });
      assert.deepEqual([await other.head(), await other.retractions()], [before, []], 'what is refused changes nothing');
      assert.deepEqual(await store.retract(taken), { status: 'retracted', captures: 5, derivedAlone: 0 });
      assert.deepEqual(await other.retractions(), [taken]);
      const said = [await seen('1.2.3.4', 25), await seen('1.2.3.4', day + 20), await seen('1.2.3.5', 3 * day - 1), await seen('2001:db8::1', 3 * day - 1)];
      assert.deepEqual(
        said,
        [['honeypot_scan@20', 'honeypot_scan@25'], ['honeypot_scan@1450', 'honeypot_scan@25'], ['honeypot_scan@20', 'proxy@20'], ['honeypot_scan@25']].map(
          (all) => all.toSorted(),
        ),
      );
      assert.deepEqual(await seen('1.2.3.4', 3 * day), ['honeypot_scan@1490', 'honeypot_scan@25']);
      const days = (await other.observationsAt(address('1.2.3.4'), madeAt)).find(({ source }) => source === EVENTS.id)?.days;
      assert.equal(days, 0b11, 'the day of the captures that were not taken back is observed still');
      assert.deepEqual([await seen('1.2.3.5', 3 * day), await seen('2001:db8::1', 3 * day)], [['proxy@20'], []]);
      const each = await other.observationsAtEach(address('1.2.3.4'), [at(day + 20), unixMs(madeAt - 1), madeAt]);
      assert.deepEqual(
        each.map(capturesOf).map((all) => all.length),
        [2, 2, 2],
      );
      assert.deepEqual(each, [
        await other.observationsAt(address('1.2.3.4'), at(day + 20)),
        await other.observationsAt(address('1.2.3.4'), unixMs(madeAt - 1)),
        await other.observationsAt(address('1.2.3.4'), madeAt),
      ]);
      const { changed } = await other.changesSince(before.sequence, 100);
      assert.ok(changed !== 'all');
      assert.deepEqual(
        changed.map(({ source, rows }) => [source, rows.map(({ capturedAt }) => (capturedAt - T0) / MINUTE_MS)]),
        [
          [EVENTS.id, [day + 50]],
          [EVENTS.id, []],
          [EVENTS.id, []],
        ],
      );
      const scanned = (await other.scan(rowsOfScan)).filter(({ source }) => source === EVENTS.id);
      assert.deepEqual(
        scanned.map(({ capturedAt, days: seenDays }) => [(capturedAt - T0) / MINUTE_MS, seenDays]),
        [[day + 50, 0b11]],
      );
      const late = await other.recordCaptures(EVENTS, at(0), batchOf([...dated('1.2.3.4', 19, 20), ...dated('9.9.9.9', day + 49, day + 50)]), at(4 * day));
      assert.deepEqual([late.rows, late.refused.get('retracted')], [2, 2], 'what arrives later with such a time is not taken in');
      assert.deepEqual(await seen('1.2.3.4', 5 * day), ['honeypot_scan@1490', 'honeypot_scan@25']);
      assert.equal((await store.recordCaptures(other1, at(0), batchOf(dated('9.9.9.9', 30)), at(4 * day))).rows, 1, 'another source');
    } finally {
      await other.close();
    }
  });

  check('where only a first and a last capture are left, taking one of them back leaves the other', async ({ store }) => {
    const [first, last] = [at(0), unixMs(T0 + 2 * DAY_MS)];
    await store.recordCaptures(EVENTS, first, batchOf(['1.2.3.4', '1.2.3.5']), unixMs(T0 + 3 * DAY_MS));
    await store.recordCaptures(EVENTS, last, batchOf(['1.2.3.4']), unixMs(T0 + 3 * DAY_MS));
    const now = unixMs(T0 + 200 * DAY_MS);
    assert.equal((await store.compact(now)).events, 3);
    await store.retract({ source: EVENTS.id, from: unixMs(T0 + DAY_MS), to: unixMs(T0 + 3 * DAY_MS), madeAt: now });
    const seen = async (ip: string, when: UnixMs) => (await store.observationsAt(address(ip), when)).map(({ capturedAt }) => capturedAt - T0);
    assert.deepEqual([await seen('1.2.3.4', unixMs(now - 1)), await seen('1.2.3.4', now), await seen('1.2.3.5', now)], [[2 * DAY_MS], [0], [0]]);
    await store.retract({ source: EVENTS.id, from: first, to: unixMs(first + 1), madeAt: unixMs(now + 1) });
    assert.deepEqual([await seen('1.2.3.4', unixMs(now + 1)), await seen('1.2.3.5', unixMs(now + 1)), await seen('1.2.3.5', now)], [[], [], [0]]);
    assert.deepEqual(await store.scan(rowsOfScan), []);
  });

  check('another connection sees what this one wrote, runs included', async ({ store, reopen }) => {
    const other = await reopen();
    try {
      assert.deepEqual(await other.observationsAt(address('1.2.3.4'), LATER), []);
      await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
      assert.deepEqual(capturesOf(await other.observationsAt(address('1.2.3.4'), LATER)), ['proxy@0']);
      await other.recordRun(LISTING, at(30), batchOf(['1.2.3.4']), LATER);
      await store.recordRun(LISTING, at(60), batchOf([]), LATER);
      assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), LATER)), ['proxy@30']);
      assert.deepEqual(capturesOf(await other.observationsAt(address('1.2.3.4'), LATER)), ['proxy@30']);
    } finally {
      await other.close();
    }
  });

  check('changesSince names what the batches after a sequence touched, and everything once the journal is gone', async ({ store }) => {
    const first = await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    await store.recordCaptures(EVENTS, at(7), batchOf(['5.6.7.8', '2001:db8::/32']), LATER);
    const { head, changed } = await store.changesSince(first.sequence, 100);
    assert.ok(changed !== 'all');
    assert.deepEqual(
      changed.map(({ prefix, source, rows }) => [prefix.family, prefix.bits, source, rows.map((row) => [row.riskType, row.capturedAt])]),
      [
        [4, 32, 'trap', [['honeypot_scan', at(7)]]],
        [6, 32, 'trap', [['honeypot_scan', at(7)]]],
      ],
    );
    assert.deepEqual((await store.changesSince(head.sequence, 100)).changed, []);
    const unchanged = await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    const moved = await store.changesSince(head.sequence, 100);
    assert.deepEqual([moved.head.sequence, moved.changed], [unchanged.sequence, []], 'a run that holds the same entries changes no row');
    assert.deepEqual(
      moved.sources.find(({ id }) => id === 'list'),
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
      ended.changed.map(({ rows }) => rows.map((row) => [row.following, row.capturedAt, row.days])),
      [[[false, at(30), 1]]],
    );
  });

  check('a position names one state of one store, whichever connection asks', async ({ store, reopen }) => {
    const other = await reopen();
    const stranger = await open();
    try {
      assert.deepEqual(await store.head(), { store: (await other.head()).store, sequence: 0, mark: '' });
      assert.match((await store.head()).store, /^[0-9a-f-]{32,36}$/);
      for (const minute of [0, 30, 60]) await store.recordRun(LISTING, at(minute), batchOf(['1.2.3.4']), LATER);
      const head = await store.head();
      assert.equal((await store.recordRun(LISTING, at(60), batchOf(['1.2.3.4']), LATER)).changed, false);
      assert.deepEqual(await other.head(), head, 'a batch that changes nothing has no position');
      const positions = await Promise.all([1, 2, 3].map(async (sequence) => (await other.changesSince(sequence, 10)).since!));
      assert.deepEqual(
        positions.map(({ store: id, sequence }) => [id, sequence]),
        [1, 2, 3].map((sequence) => [head.store, sequence]),
      );
      assert.equal(new Set(positions.map(({ mark }) => mark)).size, 3);
      assert.equal(positions[2]!.mark, head.mark);
      assert.equal((await store.changesSince(4, 10)).since, undefined);
      if ('skip' in stranger) return;
      for (const minute of [0, 30, 60]) await stranger.store.recordRun(LISTING, at(minute), batchOf(['1.2.3.4']), LATER);
      assert.notEqual((await stranger.store.head()).store, head.store);
      assert.equal(continues(head, (await stranger.store.changesSince(3, 10)).since), false, 'the same batches in another store');
    } finally {
      await other.close();
      if (!('skip' in stranger)) await stranger.dispose();
    }
  });

  check('a store that was restored continues no view that is newer, nor one of the same number once it was written to', async ({ store, reopen, save }) => {
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    const restore = await save();
    const saved = await store.head();
    await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    await store.recordCaptures(EVENTS, at(31), batchOf(['9.9.9.0/24']), LATER);
    const other = await reopen();
    try {
      const view = await other.head();
      const image = openEvidence((await compileEvidence(other, LATER, FIXED_SEED)).bytes.buffer);
      assert.equal((await other.observationsAt(address('9.9.9.9'), LATER)).length, 1);
      await restore();
      assert.deepEqual(await other.head(), saved);
      assert.equal(continues(view, (await other.changesSince(view.sequence, 10)).since), false);
      assert.equal(continues(saved, (await other.changesSince(saved.sequence, 10)).since), true);
      assert.equal(await mergeEvidenceSince(other, image, LATER), undefined);
      const expected = [
        ['1.2.3.4', ['proxy@0']],
        ['5.6.7.8', []],
        ['9.9.9.9', []],
      ] as const;
      for (const [ip, captures] of expected)
        for (const connection of [store, other]) assert.deepEqual(capturesOf(await connection.observationsAt(address(ip), LATER)), captures, ip);

      await store.recordCaptures({ ...EVENTS, id: 'young' }, at(40), batchOf(['9.9.9.0/24', '2001:db8::/40']), LATER);
      await store.recordRun({ ...LISTING, id: 'younger' }, at(50), batchOf(['5.6.7.8']), LATER);
      assert.equal((await other.head()).sequence, view.sequence);
      assert.equal(continues(view, (await other.changesSince(view.sequence, 10)).since), false, 'other batches of the same number');
      assert.equal(await mergeEvidenceSince(other, image, LATER), undefined);
      assert.equal(continues(saved, (await other.changesSince(saved.sequence, 10)).since), true);
      for (const connection of [store, other]) {
        assert.deepEqual(capturesOf(await connection.observationsAt(address('1.2.3.4'), LATER)), ['proxy@0']);
        assert.deepEqual(capturesOf(await connection.observationsAt(address('5.6.7.8'), LATER)), ['proxy@50']);
        assert.deepEqual(capturesOf(await connection.observationsAt(address('9.9.9.9'), LATER)), ['honeypot_scan@40']);
        assert.deepEqual(capturesOf(await connection.observationsAt(address('2001:db8::1'), LATER)), ['honeypot_scan@40']);
      }
    } finally {
      await other.close();
    }
  });

  check('sources have their newest run, rows and last failure, until they are read again', async ({ store }) => {
    await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4', '5.6.7.8']), LATER);
    await store.recordFailure(APPEARANCE, at(40));
    const [list, seen] = await store.sources();
    assert.deepEqual([list?.id, list?.riskType, list?.lastRunAt, list?.rows, list?.lastErrorAt], ['list', 'proxy', at(30), 2, undefined]);
    assert.deepEqual([seen?.id, seen?.lastRunAt, seen?.lastErrorAt], ['seen', undefined, at(40)]);
    const { sequence, latestAt } = await store.head();
    assert.deepEqual([sequence, latestAt], [1, at(30)]);
    const failed = async () => (await store.sources()).map(({ id, lastErrorAt }) => [id, lastErrorAt]);
    await store.recordFailure(LISTING, at(50));
    assert.deepEqual(await failed(), [
      ['list', at(50)],
      ['seen', at(40)],
    ]);
    assert.equal((await store.recordRun(LISTING, at(30), batchOf(['1.2.3.4', '5.6.7.8']), LATER)).changed, false);
    assert.deepEqual(
      await failed(),
      [
        ['list', undefined],
        ['seen', at(40)],
      ],
      'the list of before the failure is read again',
    );
    await store.recordRun(APPEARANCE, at(20), batchOf(['1.2.3.4']), LATER);
    assert.deepEqual(await failed(), [
      ['list', undefined],
      ['seen', undefined],
    ]);
  });

  check('compacting keeps the first and last capture for ever and every answer of the last 30 days', async ({ store }) => {
    const day = (n: number): UnixMs => unixMs(T0 + n * DAY_MS);
    for (const n of [0, 10, 20, 40, 70, 90, 100]) {
      await store.recordRun(LISTING, day(n), batchOf(n < 30 ? ['1.1.1.1', '3.3.3.3'] : ['2.2.2.2', '3.3.3.3']), day(n));
      await store.recordRun(APPEARANCE, day(n), batchOf(['4.4.4.4']), day(n));
      await store.recordCaptures(EVENTS, day(n), batchOf(['5.5.5.5']), day(n));
    }
    assert.equal(await store.earliest(), day(0));
    const ips = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4', '5.5.5.5'];
    const answers = async () => {
      const all: unknown[] = [];
      for (const ip of ips)
        for (let hour = 70 * 24; hour <= 101 * 24; hour += 7) all.push(await store.observationsAt(address(ip), unixMs(T0 + hour * HOUR_MS)));
      return all;
    };
    const before = await answers();
    const outcome = await store.compact(day(100));
    assert.ok(outcome.events > 0 && outcome.spells > 0);
    assert.equal(await store.earliest(), day(70));
    const after = await answers();
    // Only evidence past every window may have lost its day mask; its time must not have moved.
    assert.deepEqual(
      after.map((rows) => capturesOf(rows as Observation[])),
      before.map((rows) => capturesOf(rows as Observation[])),
    );
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.1.1.1'), day(5000))), [`proxy@${20 * 1440}`]);
    assert.deepEqual(await store.compact(day(100)), { spells: 0, events: 0 });
  });

  check('compacting forgets what a list noted of pools that it no longer names, and no capture of them', async ({ store, countSeries }) => {
    const day = (n: number): UnixMs => unixMs(T0 + n * DAY_MS);
    const pools = Array.from({ length: 50 }, (_, n) => ({ ip: `9.9.9.${n}`, pool: `pool ${n}` }));
    await store.recordRun(APPEARANCE, day(0), batchOf(pools), day(0));
    await store.recordRun(APPEARANCE, day(1), batchOf(['4.4.4.4', ...pools.slice(0, 1)]), day(1));
    assert.equal(await countSeries(), 102);
    await store.compact(day(20));
    assert.equal(await countSeries(), 102, 'their detail is still there');
    await store.compact(day(100));
    assert.equal(await countSeries(), 53);
    for (const { ip } of pools) assert.deepEqual(capturesOf(await store.observationsAt(address(ip), day(100))), ['osint@0'], ip);
    // A pool that comes back is new to the list, and the one that stayed is not.
    await store.recordRun(APPEARANCE, day(101), batchOf(pools.slice(0, 2)), day(101));
    assert.deepEqual(capturesOf(await store.observationsAt(address('9.9.9.0'), day(102))), ['osint@0']);
    assert.deepEqual(capturesOf(await store.observationsAt(address('9.9.9.1'), day(102))), [`osint@${101 * 1440}`]);
  });

  check('compacting keeps what a longer history needs, and what was imported within the last week, however old it is', async ({ store }) => {
    const day = (n: number): UnixMs => unixMs(T0 + n * DAY_MS);
    for (const n of [0, 10, 20]) await store.recordRun(LISTING, day(n), batchOf(n < 20 ? ['1.1.1.1'] : ['2.2.2.2']), day(n));
    assert.deepEqual(await store.compact(day(100), 100), { spells: 0, events: 0 });
    await store.recordRun({ ...LISTING, id: 'archive' }, day(1), batchOf(['3.3.3.3']), day(98));
    assert.deepEqual(await store.compact(day(100)), { spells: 0, events: 0 }, 'the archive came two days ago');
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.1.1.1'), day(5))), ['proxy@0']);
    await store.follow(day(0));
    assert.equal(await store.earliest(), day(0));
    assert.deepEqual(await store.compact(day(105.5)), { spells: 1, events: 0 });
    assert.equal(await store.earliest(), day(105 - 30));
  });

  check('the record begins when the first batch was accepted, or where an import says so, and never with an older capture', async ({ store, reopen }) => {
    assert.equal(await store.earliest(), undefined);
    await store.recordRun(LISTING, at(-90_000), batchOf(['1.1.1.1']), at(60));
    assert.equal(await store.earliest(), at(60), 'a list that was published long before it was first read');
    await store.recordCaptures(EVENTS, at(0), batchOf([{ ip: '2.2.2.2', at: unixMs(Date.UTC(2015, 0, 1)) }]), at(70));
    await store.recordRun({ ...APPEARANCE, id: 'old' }, at(-500), batchOf(['3.3.3.3']), at(80));
    assert.equal(await store.earliest(), at(60), 'nothing was watched in 2015');
    await store.follow(at(-1000));
    await store.follow(at(-10));
    const other = await reopen();
    assert.equal(await other.earliest(), at(-1000), 'the start of a series');
    await other.close();
  });

  check('which sources verdicts lacked is known for every moment, silence included', async ({ store, reopen }) => {
    assert.equal(await store.leftOutAt(at(0)), undefined, 'nothing was ever expected');
    await store.noteLeftOut(undefined, at(0));
    assert.equal(await store.leftOutAt(at(1)), undefined, 'nothing was ever expected, and nothing is');
    const note = async (ids: readonly string[] | undefined, ...minutes: readonly number[]) => {
      for (const minute of minutes) await store.noteLeftOut(ids, at(minute));
    };
    await note(['b', 'a'], 10, 11, 12);
    await note([], 13, 14);
    await note(['a'], 100);
    await note([], 101);
    const other = await reopen();
    const seen: unknown[] = [];
    for (const minute of [9, 10, 12.9, 13, 19, 19.1, 99.9, 100, 101, 106, 106.1]) seen.push(await other.leftOutAt(at(minute)));
    const silent = { ids: [], silent: true };
    const whole = { ids: [], silent: false };
    const both = { ids: ['a', 'b'], silent: false };
    assert.deepEqual(seen, [silent, both, both, whole, whole, silent, silent, { ids: ['a'], silent: false }, whole, whole, silent]);
    await note(undefined, 107);
    assert.deepEqual([await other.leftOutAt(at(9000)), await other.leftOutAt(at(106.5))], [whole, silent]);
    await other.close();
  });

  check('a batch that fails leaves nothing behind', async ({ store }) => {
    // The second row's address is missing: it can be hashed and sorted, and fails when it is written, after the first row was.
    const whole = batchOf(['1.2.3.4', '5.6.7.8']);
    const broken = { ...whole, words: whole.words.subarray(0, 4) };
    await assert.rejects(async () => store.recordRun(LISTING, at(0), broken, LATER));
    const { store: id, ...head } = await store.head();
    assert.deepEqual(head, { sequence: 0, mark: '' });
    assert.deepEqual(await store.sources(), []);
    await store.recordRun(LISTING, at(0), batchOf(['1.2.3.4']), LATER);
    assert.deepEqual(capturesOf(await store.observationsAt(address('1.2.3.4'), LATER)), ['proxy@0']);
    assert.equal((await store.head()).store, id);
  });

  test(`${name}: any order of arrival gives what a plain list of all captures gives, at every instant, by look-up, scan, changes and log`, async (t) => {
    const first = await open();
    if ('skip' in first) return t.skip(first.skip);
    await first.dispose();
    await fc.assert(
      fc.asyncProperty(storySteps, fc.array(fc.integer({ min: -100, max: 40_000 }), { minLength: 3, maxLength: 6 }), async (story, instants) => {
        const fixture = (await open()) as HistoryFixture;
        try {
          await playAndCompare(fixture.store, story, instants);
        } finally {
          await fixture.dispose();
        }
      }),
      { numRuns: stories },
    );
  });
}

const IPS = ['1.2.3.4', '1.2.3.0/24', '1.2.0.0/16', '9.9.9.9', '2001:db8::1', '2001:db8::/64'] as const;
const PROBES = ['1.2.3.4', '1.2.3.5', '1.2.9.9', '9.9.9.9', '2001:db8::1', '2001:db8::2'];

interface Step {
  readonly source: number;
  readonly minute: number;
  readonly entries: readonly number[];
  readonly pool: boolean;
}

const SOURCES: readonly EvidenceSource[] = [
  LISTING,
  { id: 'list2', family: 'list', mode: 'listing', riskType: 'proxy', pool: 'p2' },
  { id: 'osint', family: 'other', mode: 'listing', riskType: 'osint' },
  { id: 'mixed', family: 'list', mode: 'listing', riskType: 'osint' },
  { ...EVENTS, sharedBy: 'tor' },
];

const storySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    source: fc.integer({ min: 0, max: SOURCES.length - 1 }),
    minute: fc.integer({ min: 0, max: 30 }).map((n) => n * 960),
    entries: fc.subarray(IPS.map((_, index) => index)),
    pool: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

/** A capture list is the whole truth: a run captures each of its entries, an event its own. The store must say what folding that list says. */
async function playAndCompare(store: HistoryStore, story: readonly Step[], instants: readonly number[]): Promise<void> {
  const captures: { ip: string; source: EvidenceSource; at: UnixMs; pool: string }[] = [];
  let known = 0;
  const overlay = new Map<string, readonly LiveRow[]>();
  let sources: readonly LiveSource[] = [];
  let image = emptyEvidence({ dataVersion: 'none', builtAt: LATER, ...NOWHERE }, FIXED_SEED);
  const merge = async (): Promise<void> => {
    const merged = await mergeEvidenceSince(store, image, LATER);
    if (merged !== undefined) image = openEvidence(merged.bytes.buffer);
  };
  for (const [index, step] of story.entries()) {
    if (index === story.length >> 1) await merge();
    const source = SOURCES[step.source]!;
    const pool = step.pool ? 'named' : (source.pool ?? '');
    const rows = step.entries.map((entry) => ({ ip: IPS[entry]!, ...(step.pool ? { pool: 'named' } : {}) }));
    await store.recordRun(source, at(step.minute), batchOf(rows), LATER);
    for (const entry of step.entries) captures.push({ ip: IPS[entry]!, source, at: at(step.minute), pool });
    const changes = await store.changesSince(known, 1000);
    assert.ok(changes.changed !== 'all');
    for (const change of changes.changed) overlay.set(JSON.stringify([change.prefix, change.source]), change.rows);
    known = changes.head.sequence;
    sources = changes.sources;
  }
  const expected = (ip: string, until: number): readonly Observation[] =>
    foldObservations(rowsOfCaptures(captures.filter((c) => c.at <= until && holds(c.ip, ip))));
  for (const ip of PROBES) {
    const minutes = [...instants, 0, 100_000];
    for (const minute of minutes) {
      assert.deepEqual(await store.observationsAt(address(ip), at(minute)), expected(ip, at(minute)), `${ip} at minute ${minute}`);
    }
    const times = minutes.map(at);
    const each = await store.observationsAtEach(address(ip), times);
    assert.deepEqual(
      each,
      times.map((time) => expected(ip, time)),
      `${ip} at each of the minutes`,
    );
  }
  const scanned = await store.scan((scan) => {
    assert.deepEqual(scan.names.sources, sources);
    return rowsOfScan(scan);
  });
  const followed = [...overlay.values()].flat();
  await merge();
  const live = new LiveEvidence(image, FIXED_SEED);
  for (const ip of PROBES) {
    assert.deepEqual(observationsOfLive(scanned, sources, ip), expected(ip, LATER), `scan ${ip}`);
    assert.deepEqual(observationsOfLive(followed, sources, ip), expected(ip, LATER), `changes ${ip}`);
    assert.deepEqual(live.observations(address(ip)), expected(ip, LATER), `log ${ip}`);
  }
}

/** What a live index makes of rows: following rows take their capture and days from the source's runs. */
function observationsOfLive(rows: readonly LiveRow[], sources: readonly LiveSource[], ip: string): readonly Observation[] {
  const observations = rows
    .filter(({ prefix }) => holds(prefix, ip))
    .map((row): Observation => {
      const source = sources.find(({ id }) => id === row.source)!;
      const capturedAt = row.following ? source.lastRunAt : row.capturedAt;
      const sinceFirst = utcDay(capturedAt) - utcDay(row.capturedAt);
      const days = row.following ? source.runDays & ((1 << Math.min(14, sinceFirst + 1)) - 1) : row.days;
      const base = {
        riskType: row.riskType,
        source: source.id,
        family: source.family,
        capturedAt,
        days,
        prefixBits: row.prefix.bits,
        pools: row.pool === '' ? [] : [row.pool],
      };
      return source.sharedBy === undefined ? base : { ...base, sharedBy: source.sharedBy };
    });
  return foldObservations(observations);
}

function holds(prefix: string | LiveRow['prefix'], ip: string): boolean {
  const network = typeof prefix === 'string' ? parsePrefix(prefix)! : prefix;
  const inside = parsePrefix(`${ip}/${network.bits}`);
  return address(ip).family === network.family && inside?.w0 === network.w0 && inside.w1 === network.w1 && inside.w2 === network.w2 && inside.w3 === network.w3;
}

function rowsOfCaptures(captures: readonly { ip: string; source: EvidenceSource; at: UnixMs; pool: string }[]): Observation[] {
  const units = new Map<string, { rows: (typeof captures)[number][] }>();
  for (const capture of captures) {
    const key = [capture.ip, capture.source.id, capture.pool].join(' ');
    const unit = units.get(key) ?? { rows: [] };
    unit.rows.push(capture);
    units.set(key, unit);
  }
  return [...units.values()].map(({ rows }) => {
    const capturedAt = rows.reduce((newest, row) => Math.max(newest, row.at), 0) as UnixMs;
    let days = 0;
    for (const row of rows) {
      const back = utcDay(capturedAt) - utcDay(row.at);
      if (back < 14) days |= 1 << back;
    }
    const { source, ip, pool } = rows[0]!;
    const base = {
      riskType: source.riskType!,
      source: source.id,
      family: source.family,
      capturedAt,
      days,
      prefixBits: parsePrefix(ip)!.bits,
      pools: pool === '' ? [] : [pool],
    };
    return source.sharedBy === undefined ? base : { ...base, sharedBy: source.sharedBy };
  });
}
