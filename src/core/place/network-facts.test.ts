import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkFacts, USAGE_ORDER, usagePriority } from './network-facts.ts';
import type { NetworkEffect, NetworkList } from './network-list.ts';

const list = (id: string, effect: NetworkEffect, priority?: number): NetworkList => ({
  id,
  version: '1',
  effect,
  ...(priority !== undefined && { priority }),
});

test('nothing known is nothing said', () => {
  assert.deepEqual(networkFacts([], []), {
    asn: 0,
    usageType: '',
    hosting: false,
    mobile: false,
    crawler: false,
    relay: false,
    anycast: false,
  });
});

test('every code of the order beats every later one, in whatever order lists come', () => {
  for (let i = 0; i < USAGE_ORDER.length; i++)
    for (let j = i + 1; j < USAGE_ORDER.length; j++) {
      const a = { list: list('a', { usage: USAGE_ORDER[i]! }), by: 'asn' as const };
      const b = { list: list('b', { usage: USAGE_ORDER[j]! }), by: 'prefix' as const };
      assert.equal(networkFacts([], [a, b]).usageType, USAGE_ORDER[i]);
      assert.equal(networkFacts([], [b, a]).usageType, USAGE_ORDER[i]);
    }
});

test('a prefix speaks before an AS number, and a list’s own priority before the order', () => {
  const byAsn = { list: list('asn', { usage: 'XYZ' }), by: 'asn' as const };
  const byPrefix = { list: list('prefix', { usage: 'ABC' }), by: 'prefix' as const };
  assert.equal(networkFacts([], [byAsn, byPrefix]).usageType, 'ABC');
  assert.equal(
    networkFacts(
      [],
      [
        { list: list('dns', { usage: 'DNS' }), by: 'prefix' },
        { list: list('own', { usage: 'COM' }, 99), by: 'asn' },
      ],
    ).usageType,
    'COM',
  );
  assert.ok(usagePriority('BOGON') > usagePriority('DYN') && usagePriority('NEW') === 0);
});

test('an operator’s own code beats every list; the first layer with an ASN names it', () => {
  const facts = networkFacts(
    [{ usage: 'WLA' }, { asn: 1, usage: 'DYN' }, { asn: 2 }],
    [{ list: list('x', { usage: 'BOGON', crawler: true }), by: 'prefix' }],
  );
  assert.deepEqual([facts.usageType, facts.asn, facts.crawler], ['WLA', 1, true]);
});

test('flags of all matching lists add up and never set a usage code', () => {
  const facts = networkFacts(
    [{ mobile: true }],
    [
      { list: list('h', { hosting: true }), by: 'asn' },
      { list: list('c', { crawler: true, relay: true }), by: 'prefix' },
    ],
  );
  assert.deepEqual(facts, {
    asn: 0,
    usageType: '',
    hosting: true,
    mobile: true,
    crawler: true,
    relay: true,
    anycast: false,
  });
});

test('in special-purpose space no other list is heard, and the AS number stays', () => {
  const facts = networkFacts(
    [{ asn: 6939 }],
    [
      { list: list('he', { hosting: true, usage: 'IDC' }), by: 'asn' },
      { list: list('bogons', { usage: 'BOGON', crawler: true }), by: 'prefix' },
      { list: list('special', { specialPurpose: true, usage: 'ANY' }), by: 'prefix' },
    ],
  );
  assert.deepEqual(facts, { ...networkFacts([], []), asn: 6939, usageType: 'ANY' });
});

test('a whole AS is hosting where two public lists of different origin agree, or a list that is believed alone says so', () => {
  const idc = { hosting: true, usage: 'IDC' } as const;
  const of = (family: string | undefined, by: 'asn' | 'prefix' = 'asn', effect: NetworkEffect = idc) => ({
    list: { ...list(`of ${family}`, effect), ...(family !== undefined && { family }) },
    by,
  });
  const hosting = (...matches: ReturnType<typeof of>[]): unknown[] => {
    const { hosting, usageType } = networkFacts([], matches);
    return [hosting, usageType];
  };
  assert.deepEqual(hosting(of('one')), [false, '']);
  assert.deepEqual(hosting(of('one'), of('one')), [false, '']);
  assert.deepEqual(hosting(of('one'), of('access', 'asn', { usage: 'DYN' })), [false, 'DYN']);
  assert.deepEqual(hosting(of('one'), of('another', 'asn', { hosting: true })), [true, 'IDC']);
  assert.deepEqual(hosting(of(undefined)), [true, 'IDC']);
  assert.deepEqual(hosting(of('one', 'prefix')), [true, 'IDC']);
});
