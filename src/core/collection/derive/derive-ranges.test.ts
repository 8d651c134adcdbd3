import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatPrefix } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../units.ts';
import { DERIVATION_RULES, DerivedTimes, type OwnCapture } from './derivation-rules.ts';
import { deriveRanges } from './derive-ranges.ts';

const T0 = Date.UTC(2026, 5, 1);
const at = (minutes: number): UnixMs => unixMs(T0 + minutes * MINUTE_MS);
const capture = (ip: string, minute: number, source = 'trap'): OwnCapture => ({
  address: parseAnyAddress(ip)!,
  at: at(minute),
  source,
  sender: '',
});
const [L64, L56, L48] = DERIVATION_RULES.ipv6Range.lengths;

/** Captures of `count` addresses in `networks` /64s of 2001:db8:1::/48, one minute apart. */
const spread = (count: number, networks: number, net = '2001:db8:1'): OwnCapture[] =>
  Array.from({ length: count }, (_, i) => capture(`${net}:${(i % networks).toString(16)}::${(i + 1).toString(16)}`, i));

function derive(
  fresh: readonly OwnCapture[],
  options: { known?: readonly OwnCapture[]; derived?: DerivedTimes; access?: boolean } = {},
) {
  const { known = [], derived = new DerivedTimes(), access = false } = options;
  return deriveRanges({ known, fresh, derived, isAccess: () => access }, DERIVATION_RULES);
}
const shown = ({ captures }: ReturnType<typeof deriveRanges>) =>
  captures.map(({ prefix, at: time }) => `${formatPrefix(prefix)} @${(time - T0) / MINUTE_MS}`);

test('a /64 is a range from the capture of the address that makes enough of them, and not one address before', () => {
  const captures = spread(L64!.addresses, 1);
  assert.deepEqual(shown(derive(captures.slice(0, -1))), []);
  assert.deepEqual(shown(derive(captures)), [`2001:db8:1::/64 @${L64!.addresses - 1}`]);
});

test('addresses of other networks do not add up to a /64, and one address many times is one', () => {
  assert.deepEqual(
    shown(derive([...spread(L64!.addresses - 1, 1), ...spread(L64!.addresses - 1, 1, '2001:db8:2')])),
    [],
  );
  assert.deepEqual(shown(derive(Array.from({ length: 200 }, (_, i) => capture('2001:db8:1::1', i * 15)))), []);
});

test('addresses count together within a day and no longer', () => {
  const [first, ...rest] = spread(L64!.addresses, 1);
  const day = 24 * 60;
  const last = rest.at(-1)!;
  const others = rest.slice(0, -1);
  assert.deepEqual(shown(derive([first!, ...others, { ...last, at: at(day - 1) }])), [`2001:db8:1::/64 @${day - 1}`]);
  assert.deepEqual(shown(derive([first!, ...others, { ...last, at: at(day) }])), []);
});

test('a wider prefix needs its own number of addresses, spread over enough of its parts', () => {
  const wide = (count: number, parts: number) =>
    shown(
      derive(
        Array.from({ length: count }, (_, i) =>
          capture(`2001:db8:1:${((i % parts) * 256).toString(16)}::${(i + 1).toString(16)}`, i),
        ),
      ),
    );
  assert.deepEqual(shown(derive(spread(L56!.addresses - 1, L56!.parts.count))), []);
  assert.deepEqual(shown(derive(spread(L56!.addresses, L56!.parts.count))), [`2001:db8:1::/56 @${L56!.addresses - 1}`]);
  assert.deepEqual(shown(derive(spread(L56!.addresses, L56!.parts.count - 1))), []);
  assert.deepEqual(wide(L48!.addresses - 1, L48!.parts.count), []);
  assert.deepEqual(wide(L48!.addresses, L48!.parts.count), [`2001:db8:1::/48 @${L48!.addresses - 1}`]);
  assert.deepEqual(wide(L48!.addresses, L48!.parts.count - 1), []);
});

test('on access networks only a /64 can be a range: a wider prefix holds many subscribers', () => {
  assert.deepEqual(shown(derive(spread(L48!.addresses, 200), { access: true })), []);
  assert.deepEqual(shown(derive(spread(L64!.addresses, 1), { access: true })), [
    `2001:db8:1::/64 @${L64!.addresses - 1}`,
  ]);
});

test('a range that goes on is captured again once an hour', () => {
  const derived = new DerivedTimes();
  const known = spread(L64!.addresses, 1);
  derive(known, { derived });
  const later = Array.from({ length: 130 }, (_, i) =>
    capture(`2001:db8:1::f:${(i + 1).toString(16)}`, L64!.addresses + i),
  );
  const first = L64!.addresses - 1;
  assert.deepEqual(shown(derive(later, { known, derived })), [
    `2001:db8:1::/64 @${first + 60}`,
    `2001:db8:1::/64 @${first + 120}`,
  ]);
});

test('it names the sources it rests on, and the counts', () => {
  const captures = spread(L64!.addresses, 1).map((one, i) => (i % 2 === 0 ? one : { ...one, source: 'another' }));
  const [only] = derive(captures).captures;
  const last = L64!.addresses - 1;
  assert.deepEqual(only!.restsOn, [
    { source: 'another', sender: '', first: at(1), last: at(last) },
    { source: 'trap', sender: '', first: at(0), last: at(last - 1) },
  ]);
  assert.equal(
    only!.reason,
    `${L64!.addresses} addresses of this /64 within a day (rules ${DERIVATION_RULES.version})`,
  );
});

test('an address is noted again only after a while, for each source, and a /48 only so often a day', () => {
  const again = [
    capture('2001:db8:1::1', 0),
    capture('2001:db8:1::1', 9),
    capture('2001:db8:1::1', 10),
    capture('2001:db8:1::1', 5, 'another'),
  ];
  assert.deepEqual(
    derive(again).noted.map(({ source, at: time }) => [source, (time - T0) / MINUTE_MS]),
    [
      ['trap', 0],
      ['another', 5],
      ['trap', 10],
    ],
  );
  const flood = Array.from({ length: 6000 }, (_, i) =>
    capture(`2001:db8:1:${((i % 64) << 8).toString(16)}::${(i + 1).toString(16)}`, i / 100),
  );
  const { noted, captures } = derive(flood);
  assert.equal(noted.length, DERIVATION_RULES.ipv6Range.notedMax);
  assert.ok(captures.some(({ prefix }) => prefix.bits === 48));
});

test('however captures are split into batches and ordered, the same prefixes become ranges, from the same moment on', () => {
  const stories = fc.array(fc.record({ host: fc.nat(120), net: fc.nat(1), tens: fc.nat(30 * 6) }), {
    minLength: 100,
    maxLength: 350,
    size: 'max',
  });
  let ranges = 0;
  fc.assert(
    fc.property(stories, fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }), (rows, cuts) => {
      const captures = rows.map(({ host, net, tens }) =>
        capture(`2001:db8:1:${net}::${(host + 1).toString(16)}`, 10 * tens),
      );
      const whole = derive([...captures].sort((a, b) => a.at - b.at)).captures;
      const derived = new DerivedTimes();
      const noted: OwnCapture[] = [];
      const parts: ReturnType<typeof deriveRanges>['captures'][number][] = [];
      let rest = captures;
      for (let turn = 0; rest.length > 0; turn++) {
        const count = 1 + cuts[turn % cuts.length]!;
        const outcome = derive(rest.slice(0, count), { known: noted, derived });
        noted.push(...outcome.noted);
        parts.push(...outcome.captures);
        rest = rest.slice(count);
      }
      const firstOf = (all: typeof parts | typeof whole) => {
        const first = new Map<string, number>();
        for (const { prefix, at: time } of all)
          first.set(formatPrefix(prefix), Math.min(time, first.get(formatPrefix(prefix)) ?? Number.POSITIVE_INFINITY));
        return first;
      };
      const [together, split] = [firstOf(whole), firstOf(parts)];
      assert.deepEqual([...split.keys()].sort(), [...together.keys()].sort());
      for (const [prefix, time] of together) {
        ranges++;
        assert.equal(split.get(prefix), time, prefix);
      }
    }),
    { numRuns: 150 },
  );
  assert.ok(ranges > 50, `only ${ranges} ranges`);
});
