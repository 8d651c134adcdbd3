import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../evidence/observation.ts';
import { SCORE_PARAMETERS } from '../risk/parameters.ts';
import { verdict } from '../risk/verdict.ts';
import { unixMs } from '../units.ts';
import { anonymityOf } from './anonymity.ts';

const AT = unixMs(Date.UTC(2026, 7, 22, 12));
const NETWORK = { usageType: 'DYN', hosting: false, mobile: false, crawler: false, relay: false };
const seen = (source: string, prefixBits: number): Observation => ({
  riskType: 'proxy',
  source,
  family: 'avastel',
  capturedAt: AT,
  days: 1,
  prefixBits,
  pools: [],
});
const fieldsOf = (...observations: readonly Observation[]): readonly string[] =>
  anonymityOf(verdict(observations, NETWORK, 4, AT, SCORE_PARAMETERS), observations, AT, SCORE_PARAMETERS);

test('a neighbour of proxies is no proxy itself in a database of anonymous addresses', () => {
  const near = seen('avastel-neighbours', 24);
  assert.deepEqual(fieldsOf(near), []);
  assert.deepEqual(fieldsOf(near, seen('avastel-1day', 32)), ['is_anonymous', 'is_public_proxy']);
});
