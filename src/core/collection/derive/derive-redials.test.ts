import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAddress } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../units.ts';
import { type CollectionFacts, DERIVATION_RULES } from './derivation-rules.ts';
import { type ActorCapture, deriveRedials } from './derive-redials.ts';

const T0 = Date.UTC(2026, 5, 1);
const at = (minutes: number): UnixMs => unixMs(T0 + minutes * MINUTE_MS);
const { changes, gapMs, capturesOfStay, prefixBits, notedMax } = DERIVATION_RULES.dialupPool;
const GAP = gapMs / MINUTE_MS;
/** 20.0.0.0/8 belongs to homes of one provider, 21.0.0.0/8 to homes of another, and 30.0.0.0/8 is hosting. */
const FACTS: CollectionFacts = {
  network: ({ family, w0 }) => {
    const first = family === 6 ? 20 : w0 >>> 24;
    return {
      usageType: first === 30 ? 'IDC' : 'DYN',
      hosting: first === 30,
      mobile: false,
      crawler: false,
      relay: false,
      asn: 64500 + first,
    };
  },
  isKnownGood: () => false,
};

/**
 * Captures of one actor: `count` at each address, a tenth of a minute apart; each address begins `apart`
 * after the previous one.
 */
function stays(ips: readonly string[], { count = capturesOfStay, apart = 0.9 * GAP, from = 0 } = {}): ActorCapture[] {
  let minute = from;
  return ips.flatMap((ip) => {
    const captures = Array.from({ length: count }, (_, i) => ({
      address: parseAnyAddress(ip)!,
      at: at(minute + i / 10),
      source: 'trap',
      sender: '',
      actor: 'a',
    }));
    minute += (count - 1) / 10 + apart;
    return captures;
  });
}
const POOL = Array.from({ length: changes + 1 }, (_, i) => `20.0.${40 * i}.${i + 1}`);

const derive = (fresh: readonly ActorCapture[], known: readonly ActorCapture[] = []) =>
  deriveRedials({ known, fresh }, FACTS, DERIVATION_RULES);
const shown = (fresh: readonly ActorCapture[], known: readonly ActorCapture[] = []) =>
  derive(fresh, known).captures.map(
    ({ prefix, at: time }) => `${formatAddress(prefix)} @${((time - T0) / MINUTE_MS).toFixed(1)}`,
  );
const addresses = (fresh: readonly ActorCapture[], known: readonly ActorCapture[] = []) =>
  derive(fresh, known).captures.map(({ prefix }) => formatAddress(prefix));

test('an actor that goes on from address to address often enough is on a dialled line, and not one change before', () => {
  assert.deepEqual(shown(stays(POOL.slice(0, -1))), []);
  const { captures } = derive(stays(POOL));
  assert.deepEqual(
    captures.map(({ prefix }) => formatAddress(prefix)),
    POOL,
  );
  assert.deepEqual([...new Set(captures.map(({ pool }) => pool))], ['dial-up 20.0.0.0/16']);
  const begun = stays(POOL).filter((_, i) => i % capturesOfStay === 0);
  assert.deepEqual(
    [...new Set(captures.map((capture) => capture.at))],
    [begun[changes]!.at],
    'not before it was known',
  );
  const more = derive(stays([...POOL, '20.0.200.1', '20.0.210.1'])).captures.map((capture) => capture.at);
  assert.deepEqual([...new Set(more)].length, 3);
  assert.match(
    captures[0]!.reason,
    new RegExp(`of 20\\.0\\.0\\.0/16, ${POOL.length} of them .* \\(rules ${DERIVATION_RULES.version}\\)`),
  );
});

test('it rests on the captures up to the change that completed the rule, by source', () => {
  const two = stays([...POOL, '20.0.200.1']).map((capture, i) =>
    i === 0 ? { ...capture, source: 'another' } : capture,
  );
  const begun = two.filter((_, i) => i % capturesOfStay === 0);
  const restsOn = derive(two).captures.map((capture) =>
    capture.restsOn.map(({ source, first, last }) => [source, first, last]),
  );
  const until = (stay: number) => [
    ['another', two[0]!.at, two[0]!.at],
    ['trap', two[1]!.at, begun[stay]!.at],
  ];
  assert.deepEqual(restsOn, [...POOL.map(() => until(changes)), until(changes + 1)]);
});

test('it goes on within minutes, or it does not count', () => {
  assert.deepEqual(addresses(stays(POOL, { apart: GAP })), POOL);
  assert.deepEqual(addresses(stays(POOL, { apart: GAP + 0.1 })), []);
});

test('an actor that comes back within a day to an address it left is behind a shared one, or is several machines', () => {
  const [a, b, c, d] = POOL as [string, string, string, string];
  assert.deepEqual(addresses(stays([a, b, a, c, a, d])), []);
  assert.deepEqual(addresses(stays([a, b, c, a, b, c, d])), []);
  const earlier = (minutes: number) => stays([b], { from: -minutes });
  assert.deepEqual(addresses([...earlier(600), ...stays([a, b, c, d])]), [], 'it was there in the morning');
  assert.deepEqual(addresses([...earlier(1500), ...stays([a, b, c, d])]), [a, b, c, d], 'it was there a day before');
  assert.deepEqual(addresses([...earlier(600), ...stays([a, '20.0.9.9', c, d])]), [a, '20.0.9.9', c, d]);
});

test('one capture at each address is how carrier NAT looks; the newest address may have one', () => {
  assert.deepEqual(addresses(stays(POOL, { count: capturesOfStay - 1 })), []);
  const before = stays(POOL.slice(0, -1));
  const last = { ...before[0]!, address: parseAnyAddress(POOL.at(-1)!)!, at: unixMs(before.at(-1)!.at + gapMs) };
  assert.deepEqual(addresses([...before, last]), POOL);
});

test('all of it is one access network: one prefix, one AS, no hosting, and nowhere else in between', () => {
  assert.equal(prefixBits[4], 16);
  const elsewhere = (ip: string) => stays([...POOL.slice(0, 2), ip, ...POOL.slice(2)]);
  assert.deepEqual(addresses(elsewhere('20.1.0.1')), []);
  assert.deepEqual(addresses(elsewhere('30.0.0.1')), []);
  assert.deepEqual(addresses(elsewhere('2a02::1')), []);
  assert.deepEqual(addresses(stays(POOL.map((ip) => ip.replace('20.', '30.')))), []);
  const ofTwo: CollectionFacts = {
    ...FACTS,
    network: (address) => ({ ...FACTS.network(address), asn: address.w0 & 0x80 }),
  };
  assert.deepEqual(
    deriveRedials(
      { known: [], fresh: stays(['20.0.0.1', '20.0.0.129', '20.0.0.2', '20.0.0.130']) },
      ofTwo,
      DERIVATION_RULES,
    ).captures,
    [],
  );
  const hosted: CollectionFacts = {
    ...FACTS,
    network: (address) => ({ ...FACTS.network(address), hosting: (address.w0 & 0xff) === 2 }),
  };
  assert.deepEqual(
    deriveRedials({ known: [], fresh: stays(POOL) }, hosted, DERIVATION_RULES).captures,
    [],
    'one of them is a server',
  );
  const ipv6 = Array.from({ length: changes + 1 }, (_, i) => `2a02:100:${i + 1}::1`);
  assert.equal(derive(stays(ipv6)).captures[0]?.pool, 'dial-up 2a02:100::/32');
});

test('batch by batch nothing is derived twice, and the same addresses as at once', () => {
  const captures = stays([...POOL, '20.0.200.1', '20.0.210.1']);
  for (const size of [1, 2, 3, 5]) {
    const noted: ActorCapture[] = [];
    const parts: string[] = [];
    for (let from = 0; from < captures.length; from += size) {
      const outcome = derive(captures.slice(from, from + size), noted);
      noted.push(...outcome.noted);
      parts.push(
        ...outcome.captures.map(
          ({ prefix, at: time }) => `${formatAddress(prefix)} @${((time - T0) / MINUTE_MS).toFixed(1)}`,
        ),
      );
    }
    assert.deepEqual(parts, shown(captures), `batches of ${size}`);
  }
});

test('an actor that was seen more often than one machine is not looked at', () => {
  const known = Array.from({ length: notedMax }, (_, i) => ({
    address: parseAnyAddress('20.0.0.250')!,
    at: at(-1000 + i / 100),
    source: 'trap',
    sender: '',
    actor: 'a',
  }));
  assert.deepEqual(derive(stays(POOL), known), { captures: [], noted: [] });
  assert.deepEqual(addresses(stays(POOL), known.slice(1)).length, POOL.length);
});
