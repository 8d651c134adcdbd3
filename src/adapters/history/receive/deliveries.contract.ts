import assert from 'node:assert/strict';
import { rowsOfColumns, rowsOfScan } from '../../../../test/support/rows-of-scan.ts';
import type { EvidenceSource } from '../../../core/evidence/observation.ts';
import { evidenceSourceOf } from '../../../core/feeds/feed.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import type { Delivery, HistoryStore, SentDelivery } from '../../../service/ports.ts';
import { CATALOGUE } from '../../feeds/catalogue.ts';
import {
  address,
  at,
  batchOf,
  type Check,
  capturesOf,
  EVENTS,
  LATER,
  LISTING,
  minuteOf,
  seenIn,
  T0,
  trapped,
} from '../history-fixture.contract.ts';

/** Suite of the intake: deliveries, budgets and retractions. */
export function deliveriesContract(check: Check): void {
  check(
    'a delivery is taken in once with its answer, and its id stands for nothing else',
    async ({ store, reopen }) => {
      const other = await reopen();
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
      assert.deepEqual(
        first.status === 'taken' && first.outcomes.map(({ rows, added, sequence }) => [rows, added, sequence]),
        [
          [2, 2, 1],
          [1, 1, 2],
        ],
      );
      const again = { status: 'replayed', answer: '[2,1]' };
      assert.deepEqual(
        await other.recordDelivery(captures(['1.2.3.4', '5.6.7.8']), unixMs(LATER + 7 * DAY_MS), {
          delivery: delivery('a'),
        }),
        again,
      );
      assert.deepEqual(await store.recordDelivery(captures(['7.7.7.7']), LATER, { delivery: delivery('a', 2) }), {
        status: 'differs',
      });
      assert.equal((await store.head()).sequence, 2, 'neither made a batch');
      assert.deepEqual(await store.observationsAt(address('7.7.7.7'), LATER), []);
      assert.equal(
        (await store.recordDelivery(captures(['7.7.7.7']), LATER, { delivery: delivery('a', 2, 'acc_2') })).status,
        'taken',
        'another account',
      );
      assert.equal(
        (await store.recordDelivery(captures(['7.7.7.8']), unixMs(LATER + 9 * DAY_MS), { delivery: delivery('b') }))
          .status,
        'taken',
      );
      assert.equal(
        (await store.recordDelivery(captures(['7.7.7.9']), LATER, { delivery: delivery('a', 3) })).status,
        'taken',
        'forgotten after its days',
      );
      assert.deepEqual(await seenIn(other, '9.9.9.9', LATER), ['honeypot_scan@0']);
    },
  );

  check(
    'a budget bounds the rows of a window over all connections; a refusal costs nothing',
    async ({ store, reopen }) => {
      const other = await reopen();
      const budgets = [
        { name: 'a', of: 'lines' as const, most: 3, windowMs: MINUTE_MS },
        { name: 'a', of: 'lines' as const, most: 5, windowMs: HOUR_MS },
      ];
      const named = (id: string): Delivery => ({ account: 'acc_1', id, digest: Uint8Array.of(1), answer: () => '' });
      const take = async (of: HistoryStore, ips: readonly string[], after: number, id = String(after)) => {
        const outcome = await of.recordDelivery(
          [{ source: EVENTS, defaultAt: at(0), batch: batchOf(ips) }],
          unixMs(LATER + after),
          {
            budgets,
            delivery: named(id),
          },
        );
        return outcome.status === 'over_budget' ? outcome.until - LATER : outcome.status;
      };
      assert.equal(await take(store, ['1.0.0.1', '1.0.0.2'], 0), 'taken');
      assert.equal(await take(other, ['1.0.0.3', '1.0.0.4'], 1, 'again'), MINUTE_MS, 'the minute has room for one');
      assert.deepEqual(await store.observationsAt(address('1.0.0.3'), LATER), []);
      assert.equal(await take(other, ['1.0.0.3'], 2), 'taken');
      assert.equal(await take(store, ['1.0.0.1', '1.0.0.2'], 0), 'replayed', 'a batch that was there costs nothing');
      assert.equal(await take(store, ['1.0.0.5'], MINUTE_MS - 1), MINUTE_MS);
      assert.equal(await take(store, ['1.0.0.3', '1.0.0.4'], MINUTE_MS, 'again'), 'taken', 'its name is still free');
      assert.equal(await take(store, ['1.0.0.6'], 2 * MINUTE_MS), HOUR_MS, 'the hour holds five');
      assert.equal(await take(other, ['1.0.0.6'], HOUR_MS), 'taken');
      assert.equal(await take(store, ['1.0.0.7', '1.0.0.8'], HOUR_MS - 1), 'taken', 'a clock a little behind');
      assert.equal(await take(store, ['1.0.0.9'], HOUR_MS - 2), HOUR_MS + MINUTE_MS);
      assert.equal(await take(store, ['1.0.0.7', '1.0.0.8', '1.0.0.9'], -2 * HOUR_MS), 'taken', 'a clock far behind');
    },
  );

  check('a budget of addresses counts each once a day and a prefix by its size', async ({ store, reopen }) => {
    const other = await reopen();
    const take = async (of: HistoryStore, ips: readonly string[], after: number, source = EVENTS.id) => {
      const budgets = [
        { name: 'a', of: 'lines' as const, most: 100, windowMs: DAY_MS },
        { name: 'addresses a', of: 'addresses' as const, most: 600, windowMs: DAY_MS },
      ];
      const captures = [{ source: { ...EVENTS, id: source }, defaultAt: unixMs(LATER + after), batch: batchOf(ips) }];
      const outcome = await of.recordDelivery(captures, unixMs(LATER + after), { budgets, lines: 10 });
      return outcome.status === 'over_budget' ? [outcome.of, outcome.until - LATER] : outcome.status;
    };
    assert.equal(
      await take(store, ['1.0.0.0/24', '1.0.0.0/24', '2a00:1::/48', '2a00:2::1', '2a00:3::/64'], 0),
      'taken',
      '256 + 256 + 1 + 1',
    );
    assert.deepEqual(await take(other, ['1.0.1.0/25'], 1), ['addresses', DAY_MS], 'the reading is refused whole');
    assert.deepEqual(await store.observationsAt(address('1.0.1.1'), LATER), []);
    assert.equal(await take(other, ['1.0.0.0/24', '2a00:1::/48', '2a00:2::1'], 2), 'taken', 'known addresses');
    assert.deepEqual(await take(other, ['1.0.0.0/24'], 3, 'another'), ['addresses', DAY_MS], 'new to another source');
    assert.equal(
      await take(
        store,
        Array.from({ length: 86 }, (_, i) => `1.0.2.${i}`),
        4,
      ),
      'taken',
    );
    assert.deepEqual(await take(store, ['1.0.3.1'], 5), ['addresses', DAY_MS]);
    for (let n = 0; n < 4; n++) await take(store, [], 6);
    assert.deepEqual(await take(other, [], 7), ['lines', DAY_MS], 'lines of readings that were refused were counted');
    assert.equal(await take(store, ['1.0.0.0/24', '1.0.4.1'], DAY_MS), 'taken', 'a day later they count again');
  });

  check('a name of which nothing was taken, or everything taken back, takes no room', async ({ store }) => {
    const send = async (source: string, when: UnixMs) => {
      const captures = [
        {
          source: { ...EVENTS, id: source, family: source },
          defaultAt: when,
          batch: batchOf([{ ip: '1.2.3.4', at: when }]),
        },
      ];
      const outcome = await store.recordDelivery(captures, LATER, { sourcesMax: 2 });
      return outcome.status === 'taken' ? outcome.outcomes[0]!.rows : outcome.status;
    };
    for (let n = 0; n < 5; n++) assert.equal(await send(`ahead-${n}`, unixMs(LATER + DAY_MS)), 0);
    assert.deepEqual([await store.sources(), (await store.head()).sequence], [[], 0], 'no name was learned');
    assert.deepEqual(
      [await send('a', at(0)), await send('b', at(0)), await send('c', at(0)), await send('a', at(1))],
      [1, 1, 'no_room', 1],
    );
    await store.retract({ source: 'a', from: unixMs(0), to: at(1), madeAt: LATER });
    assert.equal(await send('c', at(0)), 'no_room', 'a part of it counts');
    await store.retract({ source: 'a', from: unixMs(0), to: at(2), madeAt: LATER });
    assert.deepEqual([await send('c', at(0)), await send('d', at(0)), await send('b', at(3))], [1, 'no_room', 1]);
  });

  check('deliveries of one transaction come out as one after the other would', async ({ store, reopen }) => {
    const other = await reopen();
    const sent = (source: string, ips: readonly string[], id: string, digest = 1): SentDelivery => ({
      captures: [{ source: { ...EVENTS, id: source, family: source }, defaultAt: at(0), batch: batchOf(ips) }],
      delivery: {
        account: 'acc_1',
        id,
        digest: Uint8Array.of(digest),
        answer: ([outcome]) => String(outcome!.added),
      },
      budgets: [{ name: source, of: 'lines', most: 3, windowMs: DAY_MS }],
      sourcesMax: 3,
    });
    const outcomes = await store.recordDeliveries(
      [
        sent('a', ['1.1.1.1', '1.1.1.2'], 'one'),
        sent('b', ['1.1.1.1'], 'two'),
        sent('a', ['1.1.1.1', '1.1.1.2'], 'one'),
        sent('a', ['9.9.9.9'], 'one', 2),
        sent('a', ['1.1.1.3', '1.1.1.4'], 'three'),
        sent('a', ['1.1.1.2'], 'four'),
        sent('c', ['1.1.1.5'], 'five'),
        sent('d', ['9.9.9.9'], 'six'),
      ],
      LATER,
    );
    assert.deepEqual(
      outcomes.map((one) =>
        one.status === 'taken' ? one.outcomes.map(({ sequence, added }) => [sequence, added]) : one.status,
      ),
      [[[1, 2]], [[2, 1]], 'replayed', 'differs', 'over_budget', [[3, 0]], [[4, 1]], 'no_room'],
    );
    assert.equal(outcomes[2]!.status === 'replayed' && outcomes[2]!.answer, '2');
    const seen = async (ip: string) => (await other.observationsAt(address(ip), LATER)).map(({ source }) => source);
    assert.deepEqual(
      [await seen('1.1.1.1'), await seen('1.1.1.5'), await seen('1.1.1.3'), await seen('9.9.9.9')],
      [['a', 'b'], ['c'], [], []],
    );
    assert.equal((await other.head()).sequence, 4);
    const broken = sent('c', ['1.1.1.9'], 'seven');
    const answer = () => {
      throw new Error('no answer');
    };
    await assert.rejects(
      async () =>
        store.recordDeliveries(
          [sent('b', ['1.1.1.8'], 'eight'), { ...broken, delivery: { ...broken.delivery!, answer } }],
          LATER,
        ),
      /no answer/,
    );
    assert.deepEqual([await seen('1.1.1.8'), (await other.head()).sequence], [[], 4], 'a fault of one undoes all');
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
    assert.equal(
      (await store.recordDelivery(captures, LATER, { delivery: { ...broken, answer: () => '' } })).status,
      'taken',
    );
  });

  check('captures taken back count no more from then on; answers about before stay', async ({ store, reopen }) => {
    const other = await reopen();
    const seen = async (ip: string, minute: number) => (await seenIn(other, ip, at(minute))).toSorted();
    const other1: EvidenceSource = { ...EVENTS, id: 'other', family: 'other' };
    const dated = (ip: string, ...minutes: readonly number[]) => minutes.map((minute) => ({ ip, at: at(minute) }));
    const day = 24 * 60;
    await trapped(
      store,
      [...dated('1.2.3.4', 10, 20, 30, day + 10, day + 50), ...dated('1.2.3.5', 20), ...dated('2001:db8::1', 25)],
      at(2 * day),
    );
    await store.recordCaptures(other1, at(0), batchOf(dated('1.2.3.4', 25)), at(2 * day));
    await store.recordRun(LISTING, at(20), batchOf(['1.2.3.5']), at(2 * day));
    const before = await other.head();
    const madeAt = at(3 * day);
    const taken = { source: EVENTS.id, from: at(20), to: at(day + 50), madeAt };
    assert.deepEqual(await store.retract({ ...taken, source: 'stranger' }), { status: 'unknown_source' });
    assert.deepEqual([await other.head(), await other.retractions()], [before, []], 'a refusal changes nothing');
    assert.deepEqual(await store.retract(taken), {
      status: 'retracted',
      captures: 5,
      derivedRetracted: 0,
      derivedKept: 0,
    });
    assert.deepEqual(await other.retractions(), [taken]);
    const said = [
      await seen('1.2.3.4', 25),
      await seen('1.2.3.4', day + 20),
      await seen('1.2.3.5', 3 * day - 1),
      await seen('2001:db8::1', 3 * day - 1),
    ];
    assert.deepEqual(
      said,
      [
        ['honeypot_scan@20', 'honeypot_scan@25'],
        ['honeypot_scan@1450', 'honeypot_scan@25'],
        ['honeypot_scan@20', 'proxy@20'],
        ['honeypot_scan@25'],
      ].map((all) => all.toSorted()),
    );
    assert.deepEqual(await seen('1.2.3.4', 3 * day), ['honeypot_scan@1490', 'honeypot_scan@25']);
    const days = (await other.observationsAt(address('1.2.3.4'), madeAt)).find(
      ({ source }) => source === EVENTS.id,
    )?.days;
    assert.equal(days, 0b11, 'the day of the captures that were not taken back is observed still');
    assert.deepEqual([await seen('1.2.3.5', 3 * day), await seen('2001:db8::1', 3 * day)], [['proxy@20'], []]);
    const each = await other.observationsAtEach(address('1.2.3.4'), [at(day + 20), unixMs(madeAt - 1), madeAt]);
    const lengths = each.map(capturesOf).map((all) => all.length);
    assert.deepEqual(lengths, [2, 2, 2]);
    assert.deepEqual(each, [
      await other.observationsAt(address('1.2.3.4'), at(day + 20)),
      await other.observationsAt(address('1.2.3.4'), unixMs(madeAt - 1)),
      await other.observationsAt(address('1.2.3.4'), madeAt),
    ]);
    const gone = await other.observationsAtEach(address('2001:db8::1'), [unixMs(madeAt - 1), madeAt]);
    assert.deepEqual(gone.map(capturesOf), [['honeypot_scan@25'], []], 'also where nothing counts any more');
    const { changed } = await other.changesSince(before.sequence, 100);
    assert.ok(changed !== 'all');
    assert.deepEqual(
      rowsOfColumns(changed).map(({ op, source, capturedAt }) => [
        op,
        source,
        op === ROW_OP.clear ? undefined : minuteOf(capturedAt),
      ]),
      [
        [ROW_OP.clear, EVENTS.id, undefined],
        [ROW_OP.fixed, EVENTS.id, day + 50],
        [ROW_OP.clear, EVENTS.id, undefined],
        [ROW_OP.clear, EVENTS.id, undefined],
      ],
    );
    const scanned = (await other.scan(rowsOfScan)).filter(({ source }) => source === EVENTS.id);
    assert.deepEqual(
      scanned.map(({ capturedAt, days: seenDays }) => [minuteOf(capturedAt), seenDays]),
      [[day + 50, 0b11]],
    );
    const late = await trapped(
      other,
      [...dated('1.2.3.4', 19, 20), ...dated('9.9.9.9', day + 49, day + 50)],
      at(4 * day),
    );
    assert.deepEqual([late.rows, late.refused.get('retracted')], [2, 2], 'a later row of such a time is refused');
    assert.deepEqual(await seen('1.2.3.4', 5 * day), ['honeypot_scan@1490', 'honeypot_scan@25']);
    assert.equal(
      (await store.recordCaptures(other1, at(0), batchOf(dated('9.9.9.9', 30)), at(4 * day))).rows,
      1,
      'another source',
    );
  });

  check(
    'captures of one key are taken back wherever it sent them, and those of others stay',
    async ({ store, reopen }) => {
      const other = await reopen();
      const day = 24 * 60;
      const send = (sender: string | undefined, id: string, minute: number, ip: string, to: HistoryStore = store) => {
        const source: EvidenceSource = { ...EVENTS, id, family: id, ...(sender === undefined ? {} : { sender }) };
        return to.recordDelivery([{ source, defaultAt: at(0), batch: batchOf([{ ip, at: at(minute) }]) }], at(minute));
      };
      const seen = async (ip: string, minute: number) => {
        const rows = await other.observationsAt(address(ip), at(minute));
        return rows.map(({ source, capturedAt, days }) => [source, minuteOf(capturedAt), days]);
      };
      await send('key_a', 'one', 10, '1.2.3.4');
      await send('key_a', 'two', 20, '1.2.3.4');
      await send('key_a', 'one', day, '1.2.3.4');
      await send('key_b', 'one', 2 * day, '1.2.3.4', other);
      await send(undefined, 'two', 30, '5.6.7.8');
      await send('key_a', 'two', 30, '5.6.7.8');
      const both = [['one', 2 * day, 0b111]];
      assert.deepEqual(
        await seen('1.2.3.4', 3 * day),
        [...both, ['two', 20, 1]],
        'the days of two keys are those of one source',
      );
      const retracted = { status: 'retracted', derivedRetracted: 0, derivedKept: 0 };
      const order = { from: at(0), to: at(4 * day), madeAt: at(3 * day) };
      assert.deepEqual(await store.retract({ sender: 'key_x', ...order }), { status: 'unknown_source' });
      assert.deepEqual(await store.retract({ source: 'two', sender: 'key_b', ...order }), { status: 'unknown_source' });
      const before = await other.head();
      assert.deepEqual(await store.retract({ sender: 'key_a', ...order }), { ...retracted, captures: 4 });
      assert.deepEqual(await store.retract({ sender: 'key_a', ...order }), { ...retracted, captures: 0 }, 'once');
      assert.deepEqual(await seen('1.2.3.4', 3 * day), [['one', 2 * day, 1]]);
      assert.deepEqual(await seen('5.6.7.8', 3 * day), [['two', 30, 1]], 'brought without a key, too');
      assert.deepEqual(await seen('1.2.3.4', 3 * day - 1), [...both, ['two', 20, 1]], 'earlier answers stay');
      const each = await other.observationsAtEach(address('1.2.3.4'), [at(3 * day - 1), at(3 * day)]);
      assert.deepEqual(
        each.map((rows) => rows.length),
        [2, 1],
      );
      assert.deepEqual(
        (await other.scan(rowsOfScan)).map(({ source, capturedAt }) => [source, minuteOf(capturedAt)]),
        [
          ['one', 2 * day],
          ['two', 30],
        ],
      );
      const { changed } = await other.changesSince(before.sequence, 100);
      assert.ok(changed !== 'all');
      const rows = rowsOfColumns(changed).map(({ op, source, capturedAt }) =>
        op === ROW_OP.clear ? source : minuteOf(capturedAt),
      );
      assert.deepEqual(rows.slice(-5), ['one', 2 * day, 'two', 'two', 30]);
      const late = await send('key_a', 'one', 15, '9.9.9.9');
      assert.equal(
        late.status === 'taken' && late.outcomes[0]!.refused.get('retracted'),
        1,
        'a later row of such a time',
      );
      assert.equal((await send('key_b', 'one', 15, '9.9.9.9')).status, 'taken');
      assert.deepEqual(await seen('9.9.9.9', 4 * day), [['one', 15, 1]]);
      assert.deepEqual(
        (await other.retractions()).map(({ source, sender }) => [source, sender]),
        [
          ['one', 'key_a'],
          ['two', 'key_a'],
        ],
      );
      await store.compact(LATER, 1);
      assert.deepEqual(await seen('1.2.3.4', 300 * day), [['one', 2 * day, 1]], 'also where detail is gone');
    },
  );

  check('names that one key brought take no room once its captures are taken back', async ({ store }) => {
    const send = (sender: string, id: string, minute: number) =>
      store.recordDelivery(
        [{ source: { ...EVENTS, id, family: id, sender }, defaultAt: at(minute), batch: batchOf(['1.2.3.4']) }],
        at(minute),
        { sourcesMax: 3 },
      );
    for (const [n, id] of ['a', 'b', 'c'].entries()) await send(id === 'c' ? 'key_b' : 'key_a', id, n);
    await send('key_b', 'b', 3);
    assert.equal((await send('key_b', 'd', 4)).status, 'no_room');
    await store.retract({ sender: 'key_a', from: unixMs(0), to: at(10), madeAt: at(10) });
    assert.equal((await send('key_b', 'd', 11)).status, 'taken', 'nothing is left of a');
    assert.equal((await send('key_b', 'e', 12)).status, 'no_room', 'b holds a capture of another key');
  });

  check('a source without trust brings nothing; a retraction goes in the same step', async ({ store, reopen }) => {
    const other = await reopen();
    const send = async (to: HistoryStore, minute: number, ips: readonly string[], id = String(minute)) => {
      const batch = batchOf(ips.map((ip) => ({ ip, at: at(minute) })));
      const delivery: Delivery = { account: 'acc_1', id, digest: Uint8Array.of(1), answer: () => 'the answer' };
      const budgets = [{ name: EVENTS.id, of: 'lines' as const, most: 5, windowMs: DAY_MS }];
      return (await to.recordDelivery([{ source: EVENTS, defaultAt: at(0), batch }], at(minute), { delivery, budgets }))
        .status;
    };
    assert.equal(await send(store, 10, ['1.2.3.4']), 'taken');
    await store.recordRun(LISTING, at(20), batchOf(['1.2.3.5']), at(20));
    const said = {
      source: EVENTS.id,
      trust: 'none',
      madeAt: at(30),
      actor: 'cli',
      reason: 'it was taken over',
    } as const;
    assert.deepEqual(await store.setTrust({ ...said, source: 'stranger' }), { status: 'unknown_source' });
    assert.deepEqual(await other.trusts(), []);
    const taken = { status: 'retracted', captures: 1, derivedRetracted: 0, derivedKept: 0 };
    assert.deepEqual(await store.setTrust({ ...said, retracted: { from: at(0), to: at(30) } }), taken);
    const seen = async (minute: number) => await seenIn(other, '1.2.3.4', at(minute));
    assert.deepEqual([await seen(29), await seen(30)], [['honeypot_scan@10'], []]);
    assert.deepEqual(
      [await send(other, 40, ['1.2.3.4']), await send(store, 10, ['1.2.3.4'])],
      ['untrusted', 'replayed'],
    );
    assert.deepEqual([await seen(50), (await other.head()).sequence], [[], 3], 'nothing was taken in');
    await other.setTrust({ ...said, madeAt: at(60), reason: 'still' });
    assert.deepEqual(await store.trusts(), [{ ...said, reason: 'still' }], 'it is so since the first time');
    assert.equal(
      (
        await store.setTrust({
          ...said,
          trust: 'full',
          madeAt: at(70),
          reason: '',
          retracted: { from: at(30), to: at(70) },
        })
      ).status,
      'retracted',
    );
    assert.deepEqual(
      [await send(other, 71, ['1.2.3.4', '1.2.3.6', '1.2.3.7', '1.2.3.8']), await seen(71)],
      ['taken', ['honeypot_scan@71']],
    );
    assert.deepEqual(
      (await store.trusts()).map(({ trust, madeAt }) => [trust, madeAt]),
      [['full', at(70)]],
    );
    assert.equal(await send(store, 72, ['9.9.9.9'], 'more'), 'over_budget', 'the refused batch was not counted');
  });

  check('runs taken back count no more, and their entries count again with the next', async ({ store, reopen }) => {
    const other = await reopen();
    const day = 24 * 60;
    const seen = async (ip: string, minute: number) =>
      (await other.observationsAt(address(ip), at(minute))).map(({ capturedAt, days }) => [minuteOf(capturedAt), days]);
    const scanned = async () =>
      (await other.scan(rowsOfScan)).map(({ following, capturedAt, days }) => [following, minuteOf(capturedAt), days]);
    for (const minute of [0, day, 2 * day])
      await store.recordRun(
        LISTING,
        at(minute),
        batchOf(minute === 0 ? ['1.1.1.1', '2.2.2.2'] : ['1.1.1.1']),
        at(minute),
      );
    // Rows that a sender delivered under the list's name are retracted with it.
    await store.recordDelivery(
      [
        {
          source: { ...EVENTS, id: LISTING.id, family: LISTING.id },
          defaultAt: at(0),
          batch: batchOf([{ ip: '3.3.3.3', at: at(day) }]),
        },
      ],
      at(2 * day),
    );
    const before = await other.head();
    const retraction = { source: LISTING.id, from: at(day), to: at(2 * day + 1), madeAt: at(2 * day + 10) };
    assert.deepEqual(await store.retract(retraction), {
      status: 'retracted',
      captures: 2,
      derivedRetracted: 0,
      derivedKept: 0,
    });
    assert.equal((await other.changesSince(before.sequence, 100)).changed, 'all');
    assert.deepEqual(
      [await seen('1.1.1.1', 2 * day + 9), await seen('3.3.3.3', 2 * day + 9)],
      [[[2 * day, 0b111]], [[day, 1]]],
      'answers about the time before stay',
    );
    assert.deepEqual(
      [await seen('1.1.1.1', 2 * day + 10), await seen('2.2.2.2', 2 * day + 10), await seen('3.3.3.3', 2 * day + 10)],
      [[[0, 1]], [[0, 1]], []],
    );
    assert.deepEqual(await scanned(), [
      [true, 0, 0],
      [false, 0, 1],
    ]);
    assert.equal((await other.scan(async ({ names }) => names.sources))[0]?.lastRunAt, at(0));
    const refused = await other.recordRun(LISTING, at(day + 5), batchOf(['1.1.1.1']), at(2 * day + 20));
    assert.deepEqual([refused.changed, [...refused.refused]], [false, [['retracted', 1]]], 'a late run of such a time');
    await store.retract({ ...retraction, from: at(0), madeAt: at(2 * day + 30) });
    assert.deepEqual([await seen('1.1.1.1', 2 * day + 30), await scanned()], [[], []]);
    const emptied = await other.head();
    await store.recordRun(LISTING, at(3 * day), batchOf(['1.1.1.1']), at(3 * day));
    assert.equal((await other.changesSince(emptied.sequence, 100)).changed, 'all', 'an unended entry counts again');
    assert.deepEqual([await seen('1.1.1.1', 3 * day), await scanned()], [[[3 * day, 1]], [[true, 3 * day, 0]]]);
    const said = {
      source: LISTING.id,
      trust: 'none',
      madeAt: at(3 * day + 1),
      actor: 'cli',
      reason: 'it was poisoned',
    } as const;
    assert.equal(
      (await store.setTrust({ ...said, retracted: { from: at(3 * day), to: at(3 * day + 1) } })).status,
      'retracted',
    );
    const untrusted = await other.recordRun(LISTING, at(4 * day), batchOf(['1.1.1.1']), at(4 * day));
    assert.deepEqual(
      [untrusted.changed, [...untrusted.refused], await seen('1.1.1.1', 4 * day)],
      [false, [['untrusted', 1]], []],
    );
  });

  check('a run, a delivery and an import of every id of the catalogue can be taken back', async ({ store }) => {
    const ips = ['1.2.3.4', '45.0.0.0/24', '2a00:1::1'];
    const sources = CATALOGUE.flatMap((feed) => evidenceSourceOf(feed) ?? []);
    for (const source of sources) {
      await store.recordRun(source, at(0), batchOf(ips.map((ip) => ({ ip, riskType: 'proxy' }))), at(5));
      await store.recordRun(
        source,
        at(10),
        batchOf(['1.2.3.4', '9.9.9.9'].map((ip) => ({ ip, riskType: 'vpn' }))),
        at(10),
      );
      const sent = { id: source.id, family: source.id, mode: 'events' } as const;
      await store.recordDelivery(
        [{ source: sent, defaultAt: at(20), batch: batchOf(ips.map((ip) => ({ ip, riskType: 'hijacked_proxy' }))) }],
        at(20),
      );
      await store.recordCaptures(
        sent,
        at(21),
        batchOf(ips.map((ip) => ({ ip, riskType: 'osint', pool: 'p' }))),
        at(21),
      );
    }
    const retractedAt = (index: number) => at(22 + index);
    for (const [index, { id }] of sources.entries())
      assert.equal(
        (await store.retract({ source: id, from: unixMs(0), to: at(22), madeAt: retractedAt(index) })).status,
        'retracted',
        id,
      );
    assert.deepEqual(await store.scan(rowsOfScan), []);
    const instants = [at(21), ...sources.keys().map(retractedAt)];
    const seen = instants.map(() => new Set<string>());
    for (const ip of ['1.2.3.4', '45.0.0.7', '2a00:1::1', '9.9.9.9'])
      for (const [index, found] of (await store.observationsAtEach(address(ip), instants)).entries())
        for (const { source } of found) seen[index]!.add(source);
    const left = sources.map(({ id }) => id).sort();
    assert.deepEqual([...seen[0]!].sort(), left, 'answers about the time before stay');
    for (const [index, { id }] of sources.entries()) {
      left.splice(left.indexOf(id), 1);
      assert.deepEqual([...seen[index + 1]!].sort(), left, `without ${id}`);
    }
  });

  check('of a first and a last capture alone, taking one back leaves the other', async ({ store }) => {
    const [first, last] = [at(0), unixMs(T0 + 2 * DAY_MS)];
    await store.recordCaptures(EVENTS, first, batchOf(['1.2.3.4', '1.2.3.5']), unixMs(T0 + 3 * DAY_MS));
    await store.recordCaptures(EVENTS, last, batchOf(['1.2.3.4']), unixMs(T0 + 3 * DAY_MS));
    const now = unixMs(T0 + 200 * DAY_MS);
    assert.equal((await store.compact(now)).events, 3);
    await store.retract({ source: EVENTS.id, from: unixMs(T0 + DAY_MS), to: unixMs(T0 + 3 * DAY_MS), madeAt: now });
    const seen = async (ip: string, when: UnixMs) =>
      (await store.observationsAt(address(ip), when)).map(({ capturedAt }) => capturedAt - T0);
    assert.deepEqual(
      [await seen('1.2.3.4', unixMs(now - 1)), await seen('1.2.3.4', now), await seen('1.2.3.5', now)],
      [[2 * DAY_MS], [0], [0]],
    );
    await store.retract({ source: EVENTS.id, from: first, to: unixMs(first + 1), madeAt: unixMs(now + 1) });
    assert.deepEqual(
      [await seen('1.2.3.4', unixMs(now + 1)), await seen('1.2.3.5', unixMs(now + 1)), await seen('1.2.3.5', now)],
      [[], [], [0]],
    );
    assert.deepEqual(await store.scan(rowsOfScan), []);
  });
}
