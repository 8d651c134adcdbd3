import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../../evidence/observation.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../units.ts';
import {
  type CollectionFacts,
  DERIVATION_RULES,
  DerivedTimes,
  isAccessSpace,
  isSubscriberSpace,
} from './derivation-rules.ts';
import { deriveHijacked, mayBeHijacked } from './derive-hijacked.ts';

const T0 = Date.UTC(2026, 5, 1);
const at = (minutes: number): UnixMs => unixMs(T0 + minutes * MINUTE_MS);
const address = parseAnyAddress('20.0.0.1')!;
const HOME = { usageType: 'DYN', hosting: false, mobile: false, crawler: false, relay: false, asn: 64500 };
const FACTS: CollectionFacts = { network: () => HOME, isKnownGood: () => false };
const WITHIN_MIN = DERIVATION_RULES.hijackedProxy.listedWithinMs / MINUTE_MS;

const listing = (minute: number, source = 'list'): Observation => ({
  riskType: 'proxy',
  source,
  family: source,
  capturedAt: at(minute),
  days: 1,
  prefixBits: 32,
  pools: [],
});

/** Derives from attacks at these minutes and returns the minutes of the derived captures. */
function derive(attacks: readonly number[], listed: readonly Observation[], derived = new DerivedTimes()) {
  const fresh = attacks.map((minute) => ({ address, at: at(minute), source: 'trap', sender: '' }));
  const asOf = (_: unknown, moment: UnixMs) => listed.filter(({ capturedAt }) => capturedAt <= moment);
  return deriveHijacked({ fresh, derived, listed: asOf }, FACTS, DERIVATION_RULES).map(
    (capture) => (capture.at - T0) / MINUTE_MS,
  );
}

test('an attack counts from the moment the address is listed, and as long as the listing is recent', () => {
  assert.deepEqual(derive([-1], [listing(0)]), []);
  assert.deepEqual(derive([0], [listing(0)]), [0]);
  assert.deepEqual(derive([WITHIN_MIN - 1], [listing(0)]), [WITHIN_MIN - 1]);
  assert.deepEqual(derive([WITHIN_MIN], [listing(0)]), []);
  assert.deepEqual(derive([5], []), []);
});

test('an address that goes on is captured once an hour, in whatever order its attacks arrive', () => {
  const derived = new DerivedTimes();
  assert.deepEqual(derive([70, 10, 69, 40, 130], [listing(0)], derived), [10, 70, 130]);
  assert.deepEqual(derive([131, 189, 190], [listing(0)], derived), [190]);
});

test('an address that the attacked source itself calls a proxy is not a second witness', () => {
  assert.deepEqual(derive([5], [listing(0, 'trap')]), []);
  assert.deepEqual(derive([5], [listing(0, 'trap'), listing(0)]), [5]);
});

test('only space of access networks is suspect, and a known service is not', () => {
  const network = (more: Partial<typeof HOME>) => ({ ...HOME, ...more });
  for (const usageType of ['DYN', 'MOB']) assert.equal(isAccessSpace(network({ usageType })), true, usageType);
  for (const usageType of ['IDC', 'EDU', 'CDN', 'COM', 'DNS', 'GOV', 'V6X'])
    assert.equal(isAccessSpace(network({ usageType })), false, usageType);
  for (const flag of ['hosting', 'crawler', 'relay'] as const)
    assert.equal(isAccessSpace(network({ [flag]: true })), false, flag);
  const { usageType: _, ...unnamed } = HOME;
  assert.equal(isAccessSpace({ ...unnamed, usageType: undefined }), true);
  assert.equal(isAccessSpace({ ...unnamed, usageType: undefined, asn: undefined }), false, 'the network is unknown');
  assert.equal(isAccessSpace({ ...unnamed, usageType: undefined, hosting: true }), false);
  assert.deepEqual(
    [
      isSubscriberSpace(HOME),
      isSubscriberSpace({ ...HOME, usageType: undefined }),
      isSubscriberSpace({ ...HOME, usageType: undefined, mobile: true }),
    ],
    [true, false, true],
  );
  const capture = { address, at: at(0), source: 'trap', sender: '' };
  assert.equal(mayBeHijacked(capture, FACTS), true);
  assert.equal(mayBeHijacked(capture, { ...FACTS, isKnownGood: () => true }), false);
  assert.equal(mayBeHijacked(capture, { ...FACTS, network: () => network({ hosting: true }) }), false);
});
