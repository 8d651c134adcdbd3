import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Observation } from '../core/evidence/capture.ts';
import { parseAnyAddress } from '../core/ip/parse-address.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../core/units.ts';
import type { LookupView } from './ports.ts';
import { Problem } from './problem.ts';
import { describeTimeline } from './timeline.ts';

const NOW = unixMs(Date.UTC(2026, 7, 22, 12, 30));
const FIRST = unixMs(NOW - 10 * DAY_MS);
const proxy: Observation = { riskType: 'proxy', family: 'a', capturedAt: unixMs(NOW - HOUR_MS), days: 1, prefixBits: 32, pools: [] };
const view: LookupView = {
  dataVersion: { risk: 'r1', geo: 'g1' },
  degraded: false,
  geoJson: () => undefined,
  network: () => ({ json: undefined, usageType: 'DYN', asn: 64500, hosting: false, mobile: false, crawler: false, relay: false }),
  observations: () => [proxy],
};
const question = { view, address: parseAnyAddress('203.0.114.9')!, account: { dpa: true }, now: NOW };

/** A store with one capture an hour before now, and none of it known earlier. */
function countingHistory(earliest: UnixMs | undefined) {
  const asked: (readonly UnixMs[])[] = [];
  return {
    asked,
    earliest: () => earliest,
    observationsAtEach: (_address: unknown, instants: readonly UnixMs[]) => {
      asked.push(instants);
      return instants.map((at) => (at < proxy.capturedAt ? [] : [proxy]));
    },
  };
}

test('the past of the window is one read of the store, from the first capture held to now', async () => {
  const history = countingHistory(FIRST);
  const { past, window_from, future } = await describeTimeline(history, question);
  assert.equal(history.asked.length, 1);
  assert.equal(window_from, new Date(FIRST).toISOString());
  assert.deepEqual([past.length, past[0], past.at(-1)?.at], [121, { at: window_from, score: 0, state: 'none' }, new Date(NOW).toISOString()]);
  assert.deepEqual(past.at(-1), future[0]);
  assert.ok(past.at(-1)!.score > 70);
  assert.equal(future.at(-1)?.score, 0);
});

test('the window is the contract of the account where the store reaches further back', async () => {
  const { window_from } = await describeTimeline(countingHistory(unixMs(NOW - 400 * DAY_MS)), { ...question, account: { dpa: true, historyDays: 90 } });
  assert.equal(window_from, new Date(NOW - 90 * DAY_MS).toISOString());
});

test('IPv6 and a deployment without history have no past, and ask no store', async () => {
  const history = countingHistory(FIRST);
  assert.deepEqual((await describeTimeline(history, { ...question, address: parseAnyAddress('2001:db9::1')! })).past, []);
  assert.deepEqual([history.asked, (await describeTimeline(undefined, question)).past], [[], []]);
});

test('without a data-processing agreement the moments at which the score leaves a band are whole hours', async () => {
  const exact = await describeTimeline(undefined, question);
  const { exits } = await describeTimeline(undefined, { ...question, account: { dpa: false } });
  assert.deepEqual(
    exits.map(({ at }) => Date.parse(at)),
    exact.exits.map(({ at }) => Math.ceil(Date.parse(at) / HOUR_MS) * HOUR_MS),
  );
  assert.ok(exact.exits.length === 3 && exact.exits.some(({ at }) => Date.parse(at) % HOUR_MS !== 0));
});

test('a store that cannot be read is history_unavailable', async () => {
  const broken = { ...countingHistory(FIRST), observationsAtEach: () => Promise.reject(new Error('away')) };
  await assert.rejects(describeTimeline(broken, question), (error) => error instanceof Problem && error.code === 'history_unavailable');
});
