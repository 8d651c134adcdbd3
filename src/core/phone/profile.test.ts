import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import type { PhoneProfile } from '../../contract/documents.ts';
import { DAY_MS, unixMs } from '../units.ts';
import { codeSlug, RISK_TAGS } from './dictionary.ts';
import type { PhoneEntry, PhoneFinding } from './entry.ts';
import { normalise, type PhoneNumber } from './normalise.ts';
import { isHit, levelOf, profileText } from './profile.ts';
import type { SegmentTable } from './segments.ts';

const now = unixMs(Date.parse('2026-11-20T12:00:00Z'));
const daysAgo = (days: number) => unixMs(now - days * DAY_MS);
const segments: SegmentTable = {
  version: 'test',
  records: 1,
  facts: () => ({ province: 'CN-BJ', cityCode: '110000', carrier: 'CMCC', attribute: 201 }),
};
const read = (input: string): PhoneNumber => {
  const number = normalise(input);
  assert.ok(number);
  return number;
};
const entry = (over: Partial<PhoneEntry> = {}): PhoneEntry => ({
  risk: 7,
  tags: [101],
  lastActive: daysAgo(1),
  firstSeen: daysAgo(40),
  observedDays: 3,
  ...over,
});
const cn = (over: Partial<PhoneEntry> = {}): PhoneFinding => ({ library: 'cn', entry: entry(over) });
const sg = (over: Partial<PhoneEntry> = {}): PhoneFinding => ({ library: 'sg', entry: entry(over) });
const meta = { request_id: 'test', data_version: { cn: '1', sg: '2' } };
const of = (findings: readonly PhoneFinding[], input = '13800138000', at = now) => {
  const number = read(input);
  const text = profileText(input, number, findings, { segments, now: at, meta: JSON.stringify(meta) });
  const { meta: said, ...body } = JSON.parse(text) as PhoneProfile;
  assert.equal(text, JSON.stringify({ ...body, meta: said }));
  assert.deepEqual(said, meta);
  assert.equal(body.hit, isHit(number, findings));
  return body;
};

test('a hit carries every block of the specification', () => {
  const expected = {
    query: {
      input: '13800138000',
      e164: '+8613800138000',
      national_number: '13800138000',
      country_code: 86,
      country: { iso2: 'CN' },
      valid_length: true,
    },
    hit: true,
    evidence_state: 'active',
    risk: {
      score: 7,
      level: 'high',
      primary_tag: { code: 101, slug: 'sim_farm' },
      tags: [{ code: 101, slug: 'sim_farm' }],
    },
    activity: {
      first_seen: '2026-10-11T12:00:00Z',
      last_active: '2026-11-19T12:00:00Z',
      last_active_days_ago: 1,
      observed_days: 3,
    },
    carrier: {
      province: 'CN-BJ',
      city_code: '110000',
      carrier: 'CMCC',
      attribute: { code: 201, slug: 'basic_operator' },
    },
    sources: [
      {
        library: 'cn',
        risk: 7,
        tag: { code: 101, slug: 'sim_farm' },
        first_seen: '2026-10-11T12:00:00Z',
        last_active: '2026-11-19T12:00:00Z',
      },
    ],
  };
  assert.equal(JSON.stringify(of([cn()])), JSON.stringify(expected));
});

test('a miss holds query, hit, evidence_state, risk and miss_reason and nothing else', () => {
  covers('PHONE-MISS');
  const body = of([]);
  assert.deepEqual(Object.keys(body), ['query', 'hit', 'evidence_state', 'risk', 'miss_reason']);
  assert.deepEqual(body.risk, { score: 0, level: 'none', tags: [] });
  assert.equal(!body.hit && body.miss_reason, 'not_in_risk_db');
});

test('a wrong length never hits and says so', () => {
  const body = of([cn()], '1380013800');
  assert.equal(body.hit, false);
  assert.equal(!body.hit && body.miss_reason, 'unqueryable_bad_length');
  assert.equal(body.query.valid_length, false);
});

test('ninety days without capture are active, a millisecond more is stale: the score stays raw, and the level is one lower', () => {
  covers('PHONE-STATE PHONE-STALE-90');
  const active = of([cn({ lastActive: daysAgo(90) })]);
  assert.deepEqual([active.evidence_state, active.risk.level], ['active', 'high']);
  const stale = of([cn({ lastActive: unixMs(daysAgo(90) - 1) })]);
  assert.equal(stale.evidence_state, 'stale');
  assert.equal(stale.risk.score, 7);
  assert.deepEqual(
    [0, 1, 3, 4, 6, 7, 9].map((risk) => of([cn({ risk, lastActive: daysAgo(91) })]).risk.level),
    ['none', 'low', 'low', 'low', 'low', 'medium', 'medium'],
  );
  const seenByOne = of([cn({ risk: 8, lastActive: daysAgo(400) }), sg({ risk: 2, lastActive: daysAgo(3) })]);
  assert.deepEqual([seenByOne.evidence_state, seenByOne.risk.level], ['active', 'high']);
});

test('the bands change at 1, 4 and 7', () => {
  assert.deepEqual(
    [0, 1, 3, 4, 6, 7, 9].map((risk) => levelOf({ risk, tags: [101] })),
    ['none', 'low', 'low', 'medium', 'medium', 'high', 'high'],
  );
});

test('two libraries: the higher risk leads, tags are the union, first is earliest and last is latest, each entry stays', () => {
  covers('PHONE-SCORE PHONE-LEVEL PHONE-TAGS PHONE-ACTIVITY PHONE-SOURCES');
  const body = of([
    cn({ risk: 4, tags: [104, 101], firstSeen: daysAgo(300), lastActive: daysAgo(2) }),
    sg({ risk: 8, tags: [103, 116], firstSeen: daysAgo(20), lastActive: daysAgo(100), observedDays: 2 }),
  ]);
  assert.ok(body.hit);
  assert.equal(body.risk.score, 8);
  assert.deepEqual(body.risk.primary_tag, { code: 103, slug: 'sms_receiving_platform' });
  const codes = body.risk.tags.map(({ code }) => code);
  assert.deepEqual(codes, [103, 101, 104, 116]);
  assert.equal(body.activity.first_seen, '2026-01-24T12:00:00Z');
  assert.deepEqual([body.activity.last_active_days_ago, body.activity.observed_days], [2, 3]);
  assert.equal(body.evidence_state, 'active');
  const shown = body.sources.map(({ library, risk, tag }) => [library, risk, tag?.code]);
  assert.deepEqual(shown, [
    ['sg', 8, 103],
    ['cn', 4, 104],
  ]);
});

test('at equal risk the newer entry leads', () => {
  const body = of([cn({ tags: [101], lastActive: daysAgo(5) }), sg({ tags: [103], lastActive: daysAgo(4) })]);
  assert.equal(body.hit && body.risk.primary_tag?.code, 103);
});

test('a hit of score 0 is a hit with level none', () => {
  const body = of([cn({ risk: 0, tags: [114] })]);
  assert.equal(body.hit, true);
  assert.equal(body.risk.level, 'none');
});

test('a vendor code the dictionary does not know keeps its number', () => {
  const body = of([cn({ tags: [417] })]);
  assert.deepEqual(body.hit && body.risk.tags, [{ code: 417, slug: 'unknown_417' }]);
});

test('a record wins over the segment, and carrier is for mainland numbers only', () => {
  covers('PHONE-CARRIER PHONE-CARRIER-ABSENT');
  const body = of([cn({ card: { carrier: 'CUCC', cardType: 302 } })]);
  assert.deepEqual(body.hit && body.carrier, {
    province: 'CN-BJ',
    city_code: '110000',
    carrier: 'CUCC',
    attribute: { code: 201, slug: 'basic_operator' },
    card_type: { code: 302, slug: 'prepaid' },
  });
  const abroad = of([sg({ card: { carrier: 'X' } })], '+6591234567');
  assert.equal('carrier' in abroad, false);
});

test('unknown activity fields are absent, never null', () => {
  const body = of([{ library: 'sg', entry: { risk: 1, tags: [], lastActive: daysAgo(0) } }]);
  assert.ok(body.hit);
  assert.deepEqual(body.activity, { last_active: '2026-11-20T12:00:00Z', last_active_days_ago: 0 });
  assert.equal('primary_tag' in body.risk, false);
  assert.deepEqual(body.sources, [{ library: 'sg', risk: 1, last_active: '2026-11-20T12:00:00Z' }]);
});

test('a source that states no score leaves risk.score and sources[].risk out, and the primary tag gives the level', () => {
  const unscored = (tags: readonly number[]): PhoneFinding => ({
    library: 'cn',
    entry: { tags, lastActive: daysAgo(1), observedDays: 1 },
  });
  const body = of([unscored([104])]);
  assert.ok(body.hit);
  assert.deepEqual(Object.keys(body.risk), ['level', 'primary_tag', 'tags']);
  assert.equal(body.risk.level, 'high');
  assert.equal('first_seen' in body.activity, false);
  assert.deepEqual(Object.keys(body.sources[0] ?? {}), ['library', 'tag', 'last_active']);
  for (const { code, levelWithoutScore } of RISK_TAGS)
    assert.equal(of([unscored([code])]).risk.level, levelWithoutScore);
  assert.deepEqual([of([unscored([417])]).risk.level, of([unscored([])]).risk.level], ['low', 'low']);
});

test('an entry with a score leads one without, whatever the tags; among those without a score the level of the tag decides, then the time', () => {
  const without = (library: 'cn' | 'sg', tags: readonly number[], days: number): PhoneFinding => ({
    library,
    entry: { tags, lastActive: daysAgo(days) },
  });
  const led = of([without('sg', [101], 0), cn({ risk: 0, tags: [114], lastActive: daysAgo(9) })]);
  assert.deepEqual([led.risk.score, led.risk.level, led.hit && led.sources[0]?.library], [0, 'none', 'cn']);
  const byTag = of([without('cn', [116], 0), without('sg', [105], 9)]);
  assert.deepEqual([byTag.risk.level, byTag.hit && byTag.risk.primary_tag?.code], ['medium', 105]);
  const byTime = of([without('cn', [104], 9), without('sg', [101], 2)]);
  assert.equal(byTime.hit && byTime.risk.primary_tag?.code, 101);
});

test('times are RFC 3339 in whole seconds over the whole range a record can hold', () => {
  for (const at of [
    1000,
    86_399_999,
    86_400_000,
    Date.parse('2024-02-29T23:59:59Z'),
    Date.parse('2099-12-31T12:34:56.789Z'),
    0xffff_ffff * 1000,
  ]) {
    const body = of([cn({ lastActive: unixMs(at) })], '13800138000', unixMs(at));
    assert.equal(body.hit && body.activity.last_active, `${new Date(at).toISOString().slice(0, 19)}Z`);
  }
});

test('whatever is known of a card, by the records or by the segment, the text is the one of the document', () => {
  const cards: (PhoneEntry['card'] | undefined)[] = [
    undefined,
    {},
    { province: 'CN-GD' },
    { cityCode: '440300' },
    { province: 'CN-GD', cityCode: '440300', carrier: 'CUCC', attribute: 203, cardType: 305 },
    { attribute: 99_999 },
    { carrier: 'a "quoted" \\ name', cardType: 301 },
  ];
  const facts = [
    undefined,
    { carrier: 'CMCC' },
    { province: 'CN-BJ', cityCode: '110000', carrier: 'CMCC', attribute: 201 },
  ];
  const number = read('13800138000');
  for (const first of cards)
    for (const second of [null, ...cards])
      for (const segment of facts) {
        // The first entry leads, because the second has a lower score.
        const withCard = (risk: number, card: PhoneEntry['card'] | undefined): PhoneEntry =>
          entry({ risk, tags: [], ...(card && { card }) });
        const findings: PhoneFinding[] = [{ library: 'cn', entry: withCard(9, first) }];
        if (second !== null) findings.push({ library: 'sg', entry: withCard(1, second) });
        const known: readonly NonNullable<PhoneEntry['card']>[] = [first, second ?? undefined, segment].filter(
          (card) => card !== undefined,
        );
        const place = known.find(({ province }) => province !== undefined);
        const attribute = known.find((card) => card.attribute !== undefined)?.attribute;
        const cardType = known.find((card) => card.cardType !== undefined)?.cardType;
        const expected = {
          province: place?.province,
          city_code: place?.cityCode,
          carrier: known.find(({ carrier }) => carrier !== undefined)?.carrier,
          attribute: attribute && codeSlug(attribute),
          card_type: cardType && codeSlug(cardType),
        };
        const frame = { segments: { ...segments, facts: () => segment }, now, meta: JSON.stringify(meta) };
        const text = profileText('13800138000', number, findings, frame);
        const body = JSON.parse(text) as { readonly carrier?: object };
        assert.equal(text, JSON.stringify(body));
        assert.equal(JSON.stringify(body.carrier ?? {}), JSON.stringify(expected));
      }
});

test('the input comes back as it was written, whatever it was written with', () => {
  for (const input of [
    '+86 138-0013-8000',
    '\t13800138000\n',
    '（138）00138000',
    '１３８００１３８０００',
    '\u200b13800138000\u2028',
    '[{(13800138000)}]',
    '+1 202 555 0123',
    '+999 1234567',
  ])
    assert.equal(of([cn()], input).query.input, input);
});
