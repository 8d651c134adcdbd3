import assert from 'node:assert/strict';
import { rowsOfColumns, rowsOfScan } from '../../../../test/support/rows-of-scan.ts';
import { DERIVATION_RULES } from '../../../core/collection/derive/derivation-rules.ts';
import type { EvidenceSource } from '../../../core/evidence/observation.ts';
import { parsePrefix } from '../../../core/ip/prefix.ts';
import { MINUTE_MS } from '../../../core/units.ts';
import { ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import {
  address,
  at,
  batchOf,
  type Check,
  capturesOf,
  derivedIn,
  EVENTS,
  LATER,
  LISTING,
  minuteOf,
  seenIn,
  trapped,
} from '../history-fixture.contract.ts';

/** Suite of captures derived from own collection. */
export function derivedCapturesContract(check: Check): void {
  check('deriving knows the rows of an earlier delivery of the same transaction', async ({ store }) => {
    const vendor: EvidenceSource = { id: 'vendor', family: 'vendor', mode: 'events' };
    const sent = (source: EvidenceSource, riskType: 'proxy' | 'honeypot_credential', minute: number) => ({
      captures: [{ source, defaultAt: at(minute), batch: batchOf([{ ip: '20.9.9.9', at: at(minute), riskType }]) }],
    });
    const outcomes = await store.recordDeliveries(
      [sent(vendor, 'proxy', 0), sent(EVENTS, 'honeypot_credential', 1)],
      at(10),
    );
    assert.deepEqual(
      outcomes.map((one) => one.status === 'taken' && one.outcomes[0]!.sequence),
      [1, 3],
    );
    assert.ok((await seenIn(store, '20.9.9.9', at(10))).includes('hijacked_proxy@1'));
  });

  check(
    'own collection in many addresses of one /64 derives a range once, with its reason',
    async ({ store, reopen }) => {
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
      await trapped(store, rows.slice(0, half), at(half));
      await other.recordCaptures(
        { ...EVENTS, id: 'another', family: 'another' },
        at(0),
        batchOf(rows.slice(half, -1)),
        at(addresses),
      );
      assert.deepEqual(await ranges(addresses), []);
      const outcome = await trapped(store, rows.slice(-1), at(addresses));
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
      // The batch is sent again at another moment and through another node: nothing is derived twice.
      await other.recordCaptures(EVENTS, at(1), batchOf(rows), at(addresses + 1));
      assert.deepEqual(await ranges(addresses + 1), [`ipv6_range@${moment}`]);
      assert.equal((await store.sources()).find(({ id }) => id === 'derived')?.rows, 1);
      const live = await derivedIn(store);
      const shown = live.map(({ riskType, capturedAt }) => [riskType, capturedAt]);
      assert.deepEqual(shown, [['ipv6_range', at(moment)]]);
    },
  );

  check('a late older capture moves the range back; single addresses alone make one', async ({ store }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const row = (i: number, minute: number, riskType: 'honeypot_scan' | 'osint') => ({
      ip: `2a00:1:2:3::${(i + 1).toString(16)}`,
      at: at(minute),
      riskType,
    });
    const ranges = async () => (await derivedIn(store)).map(({ capturedAt }) => minuteOf(capturedAt));
    await trapped(
      store,
      Array.from({ length: addresses }, (_, i) => row(i, i, 'osint')),
    );
    await trapped(
      store,
      Array.from({ length: addresses }, (_, i) => ({ ip: `2a00:1:2:3:${i.toString(16)}::/80` })),
    );
    await trapped(
      store,
      Array.from({ length: addresses - 1 }, (_, i) => row(i + 1, 100 + i, 'honeypot_scan')),
    );
    assert.deepEqual(await ranges(), []);
    await trapped(store, [row(0, 50, 'honeypot_scan')]);
    assert.deepEqual(await ranges(), [100 + addresses - 2]);
  });

  check('an attack by a listed proxy of an access network derives a hijacked proxy', async ({ store, reopen }) => {
    const other: EvidenceSource = { id: 'exits', family: 'exits', mode: 'events', riskType: 'proxy' };
    await store.recordRun(
      LISTING,
      at(0),
      batchOf(['20.0.0.1', '20.0.0.2', '20.0.0.7/32', '30.0.0.1', '40.0.0.1', '20.0.1.0/24']),
      at(0),
    );
    await store.recordRun(LISTING, at(600), batchOf(['20.0.0.1', '30.0.0.1', '40.0.0.1', '20.0.1.0/24']), at(600));
    await store.recordCaptures(other, at(0), batchOf([{ ip: '20.0.0.3', at: at(590) }]), at(600));
    const within = DERIVATION_RULES.hijackedProxy.listedWithinMs / MINUTE_MS;
    const attack = (ip: string, minute: number) => ({ ip, at: at(minute), riskType: 'honeypot_credential' as const });
    const node = await reopen();
    await trapped(
      node,
      [
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
      ],
      at(3000),
    );
    await trapped(store, [attack('20.0.0.1', 620), attack('20.0.0.1', 681)], at(3000));
    const rows = await derivedIn(store);
    assert.deepEqual(rows.map(({ prefix, riskType }) => [prefix.w0, prefix.bits, riskType]).sort(), [
      [0x14000001, 32, 'hijacked_proxy'],
      [0x14000002, 32, 'hijacked_proxy'],
      [0x14000003, 32, 'hijacked_proxy'],
    ]);
    const hijacked = async (ip: string, minute: number) =>
      capturesOf(
        (await store.observationsAt(address(ip), at(minute))).filter(({ riskType }) => riskType === 'hijacked_proxy'),
      );
    assert.deepEqual([await hijacked('20.0.0.1', 619), await hijacked('20.0.0.1', 620)], [[], ['hijacked_proxy@620']]);
    assert.deepEqual(
      [await hijacked('20.0.0.1', 679), await hijacked('20.0.0.1', 3000)],
      [['hijacked_proxy@620'], ['hijacked_proxy@680']],
    );
    assert.deepEqual(await hijacked('20.0.0.2', 3000), [`hijacked_proxy@${within - 1}`]);
    const [note] = await store.derivationsAt(address('20.0.0.1'), at(3000));
    assert.deepEqual([note?.at, note?.sources], [at(680), ['trap']]);
    assert.equal(
      note?.reason,
      `trap saw it attack while list listed it, on DYN space (rules ${DERIVATION_RULES.version})`,
    );
  });

  check('a hijacked proxy goes when no list that counts named the address any more', async ({ store }) => {
    const other: EvidenceSource = { ...LISTING, id: 'other list', family: 'other' };
    await store.recordRun(LISTING, at(0), batchOf(['20.0.0.1', '20.0.0.2', '20.0.0.3']), at(0));
    await store.recordRun(LISTING, at(60), batchOf(['20.0.0.1', '20.0.0.2']), at(60));
    await store.recordRun(other, at(60), batchOf(['20.0.0.2']), at(60));
    const attack = (ip: string) => ({ ip, at: at(90), riskType: 'honeypot_credential' as const });
    await trapped(store, ['20.0.0.1', '20.0.0.2', '20.0.0.3'].map(attack), at(100));
    const hijacked = async (minute: number) => {
      const said = ['20.0.0.1', '20.0.0.2', '20.0.0.3'].map((ip) => store.observationsAt(address(ip), at(minute)));
      return (await Promise.all(said)).map((rows) => rows.some(({ riskType }) => riskType === 'hijacked_proxy'));
    };
    const take = async (source: string, from: number, to: number, minute: number) => {
      const done = await store.retract({ source, from: at(from), to: at(to), madeAt: at(minute) });
      return done.status === 'retracted' && [done.derivedRetracted, done.derivedKept];
    };
    assert.deepEqual(await hijacked(100), [true, true, true]);
    assert.deepEqual(await take(LISTING.id, 30, 100, 200), [0, 2], 'the run before lists both');
    assert.deepEqual(await take(LISTING.id, 0, 30, 201), [2, 1], 'the second is on another list');
    assert.deepEqual(
      [await hijacked(200), await hijacked(201)],
      [
        [true, true, true],
        [false, true, false],
      ],
    );
    assert.deepEqual(await take(other.id, 0, 100, 202), [1, 0]);
    assert.deepEqual(await hijacked(202), [false, false, false]);
  });

  check('an entry of a list of proxy bots on an access network is a hijacked proxy', async ({ store, reopen }) => {
    const bots: EvidenceSource = { ...LISTING, id: 'bots', family: 'bots', derives: 'hijacked_proxy' };
    const entries = ['20.0.0.1', '30.0.0.1', '40.0.0.1', '50.0.0.1', '20.0.1.0/24'];
    const outcome = await store.recordRun(bots, at(0), batchOf(entries), at(0));
    assert.deepEqual([outcome.rows, outcome.added], [5, 5], 'one entry is one capture');
    const said = async (ip: string, minute: number) => await seenIn(store, ip, at(minute));
    assert.deepEqual(await said('20.0.0.1', 0), ['hijacked_proxy@0']);
    for (const ip of ['30.0.0.1', '40.0.0.1', '50.0.0.1', '20.0.1.9'])
      assert.deepEqual(await said(ip, 0), ['proxy@0'], ip);
    const again = await store.recordRun(bots, at(0), batchOf(entries), at(1));
    assert.equal(again.changed, false);
    const node = await reopen();
    await node.recordRun(bots, at(60), batchOf(['20.0.0.2', '30.0.0.1']), at(60));
    assert.deepEqual(
      [await said('20.0.0.1', 90), await said('20.0.0.2', 90), await said('30.0.0.1', 90)],
      [['hijacked_proxy@0'], ['hijacked_proxy@60'], ['proxy@60']],
    );
    const live = (await store.scan(rowsOfScan)).filter(({ riskType }) => riskType === 'hijacked_proxy');
    assert.deepEqual(live.map(({ source, prefix, capturedAt }) => [source, prefix.w0, capturedAt]).sort(), [
      ['bots', 0x14000001, at(0)],
      ['bots', 0x14000002, at(60)],
    ]);
    // Own collection treats this list as any other list of proxies.
    await trapped(store, [{ ip: '20.0.0.2', at: at(61), riskType: 'honeypot_credential' }], at(62));
    assert.deepEqual(
      (await store.derivationsAt(address('20.0.0.2'), at(62))).map(({ at: time, sources }) => [time, sources]),
      [[at(61), ['trap']]],
    );
  });

  check('one actor at address after address of an access network is a dial-up pool', async ({ store, reopen }) => {
    const { changes } = DERIVATION_RULES.dialupPool;
    const node = await reopen();
    const ips = Array.from({ length: changes + 1 }, (_, i) => `20.0.${i}.1`);
    const stay = (ip: string, minute: number, actor: string) =>
      [0, 1].map((second) => ({ ip, at: at(minute + second / 60), actor }));
    for (const [i, ip] of ips.entries()) {
      const unexpected = await derivedIn(store);
      assert.deepEqual(unexpected, []);
      await trapped(i % 2 === 0 ? store : node, [
        ...stay(ip, i, 'redials'),
        ...stay(`20.9.0.${i}`, 100 * i, 'slow'),
        ...stay(`30.0.0.${i}`, i, 'hosted'),
      ]);
    }
    const derived = await derivedIn(store);
    assert.deepEqual(
      derived.map(({ prefix, riskType, pool, capturedAt }) => [prefix.w0, riskType, pool, minuteOf(capturedAt)]),
      ips.map((_, i) => [0x14000001 + 256 * i, 'dialup_pool', 'dial-up 20.0.0.0/16', changes]),
    );
    await trapped(store, stay('20.0.99.1', ips.length, 'redials'));
    assert.deepEqual((await seenIn(node, '20.0.99.1', LATER)).toSorted(), [
      `dialup_pool@${ips.length}`,
      `honeypot_scan@${ips.length + 1 / 60}`,
    ]);
    const [note] = await node.derivationsAt(address('20.0.99.1'), LATER);
    assert.match(note?.reason ?? '', new RegExp(`20\\.0\\.0\\.0/16, ${ips.length + 1} of them`));
  });

  check(
    'a derived capture goes with its only support, and comes with captures that count',
    async ({ store, reopen }) => {
      const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
      const other = await reopen();
      const another: EvidenceSource = { ...EVENTS, id: 'another', family: 'another' };
      const rows = (net: string, from: number, count = addresses) =>
        Array.from({ length: count }, (_, i) => ({
          ip: `2a00:1:${net}::${(from + i + 1).toString(16)}`,
          at: at(from + i),
        }));
      await trapped(store, [...rows('1:1', 0), ...rows('2:2', 0, addresses - 1)], at(100));
      await store.recordCaptures(another, at(0), batchOf(rows('2:2', addresses - 1, 1)), at(100));
      const ranges = async (net: string, minute: number) =>
        (await seenIn(other, `2a00:1:${net}:ffff::`, at(minute))).filter((text) => text.startsWith('ipv6_range'));
      const derived = [`ipv6_range@${addresses - 1}`];
      assert.deepEqual([await ranges('1:1', 100), await ranges('2:2', 100)], [derived, derived]);
      const { sequence } = await other.head();
      const take = (source: string, from: number, to: number, minute: number) =>
        store.retract({ source, from: at(from), to: at(to), madeAt: at(minute) });
      const outcome = (captures: number, derivedRetracted: number, derivedKept: number) => ({
        status: 'retracted',
        captures,
        derivedRetracted,
        derivedKept,
      });
      assert.deepEqual(await take('trap', 1, 200, 200), outcome(2 * addresses - 3, 0, 2), 'the first capture counts');
      assert.deepEqual(await ranges('1:1', 200), derived);
      assert.deepEqual(await take('trap', 0, 1, 201), outcome(2, 1, 1), 'now all that one of them rested on is gone');
      assert.deepEqual([await ranges('1:1', 200), await ranges('1:1', 201)], [derived, []]);
      assert.deepEqual(await ranges('2:2', 201), derived, 'it rests on the other sensor as well');
      const { changed } = await other.changesSince(sequence, 1000);
      assert.ok(changed !== 'all');
      assert.deepEqual(
        rowsOfColumns(changed)
          .filter(({ source }) => source === 'derived')
          .map(({ op }) => op),
        [ROW_OP.clear],
      );
      const live = async () => (await derivedIn(other)).map(({ prefix }) => prefix.w1 >>> 16);
      assert.deepEqual(await live(), [2]);
      const noteAt = async (minute: number) =>
        (await other.derivationsAt(address('2a00:1:1:1:ffff::'), at(minute))).map(({ sources }) => sources);
      assert.deepEqual([await noteAt(200), await noteAt(201)], [[['trap']], []]);
      assert.deepEqual(await take('another', 0, 200, 202), outcome(1, 1, 0), 'with the last of its sources');
      assert.deepEqual([await ranges('2:2', 201), await ranges('2:2', 202), await live()], [derived, [], []]);
      await store.recordCaptures(another, at(0), batchOf(rows('1:1', 200)), at(300));
      assert.deepEqual(await ranges('1:1', 300), [`ipv6_range@${199 + addresses}`]);
      await store.recordCaptures({ ...another, id: 'third', family: 'third' }, at(0), batchOf(rows('1:1', 0)), at(400));
      assert.deepEqual(await live(), [1]);
      assert.deepEqual(await ranges('1:1', addresses - 1), derived, 'it follows from a trusted sensor');
      await store.compact(LATER, 0);
      assert.deepEqual([await ranges('1:1', 400), await ranges('2:2', 400)], [[`ipv6_range@${199 + addresses}`], []]);
    },
  );

  check('a derived capture rests on captures by the key that brought them', async ({ store }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const send = (sender: string, net: string, from: number, count: number) =>
      store.recordCaptures(
        { ...EVENTS, sender },
        at(0),
        batchOf(
          Array.from({ length: count }, (_, i) => ({
            ip: `${net}::${(from + i + 1).toString(16)}`,
            at: at(from + i),
            riskType: 'honeypot_credential' as const,
          })),
        ),
        at(100),
      );
    await send('key_a', '2a00:1:2:3', 0, addresses);
    await send('key_a', '2a00:1:2:4', 0, addresses - 1);
    await send('key_b', '2a00:1:2:4', addresses - 1, 1);
    await store.recordRun(LISTING, at(0), batchOf(['20.1.1.1', '20.1.1.2']), at(0));
    for (const [sender, ip] of [
      ['key_a', '20.1.1.1'],
      ['key_b', '20.1.1.2'],
    ] as const)
      await store.recordCaptures(
        { ...EVENTS, sender },
        at(0),
        batchOf([{ ip, at: at(5), riskType: 'honeypot_credential' }]),
        at(100),
      );
    const derived = async (minute: number) =>
      Promise.all(
        ['2a00:1:2:3:f::', '2a00:1:2:4:f::', '20.1.1.1', '20.1.1.2'].map(
          async (ip) =>
            (await store.observationsAt(address(ip), at(minute))).filter(({ source }) => source === 'derived').length,
        ),
      );
    assert.deepEqual(await derived(150), [1, 1, 1, 1]);
    const order = { from: at(0), to: at(100), madeAt: at(200) };
    const outcome = await store.retract({ sender: 'key_a', ...order });
    assert.deepEqual(
      outcome.status === 'retracted' && [outcome.derivedRetracted, outcome.derivedKept],
      [2, 1],
      'one range has support by another key',
    );
    assert.deepEqual(
      [await derived(200), await derived(199)],
      [
        [0, 1, 0, 1],
        [1, 1, 1, 1],
      ],
    );
    assert.deepEqual(
      (await store.retract({ source: EVENTS.id, sender: 'key_b', ...order, madeAt: at(300) })).status,
      'retracted',
    );
    assert.deepEqual(await derived(300), [0, 0, 0, 0]);
  });

  check('the support of derived captures is forgotten after some days; the capture is not', async ({ store }) => {
    const { addresses } = DERIVATION_RULES.ipv6Range.lengths[0]!;
    const rows = Array.from({ length: addresses }, (_, i) => ({
      ip: `2a00:1:2:3::${(i + 1).toString(16)}`,
      at: at(i),
    }));
    await trapped(store, rows, at(addresses));
    const inRange = address('2a00:1:2:3:ffff::');
    await store.compact(at(2 * 1440));
    assert.equal((await store.derivationsAt(inRange, LATER)).length, 1);
    await store.compact(LATER, 0);
    assert.deepEqual(await store.derivationsAt(inRange, LATER), []);
    assert.deepEqual(capturesOf(await store.observationsAt(inRange, LATER)), [`ipv6_range@${addresses - 1}`]);
  });
}
