/** Refusals that a healthy service on a small day does not show: a store that cannot be read, a fault of our own. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unixMs } from '../../src/core/units.ts';
import { PulseLookup } from '../../src/service/lookup/lookup-pulse.ts';
import { covers } from '../spec/covers.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';

const broken = (): never => {
  throw new Error('disk /dev/secret-place gone');
};

let service: TestService;
let key: string;
let earliestFails = true;
let faulty = false;

before(async () => {
  const history = {
    earliest: () => (earliestFails ? broken() : unixMs(0)),
    observationsAt: broken,
    leftOutAt: () => undefined,
  };
  const pulse = new PulseLookup({ history, secret: new Uint8Array(32) });
  service = await startMcpService({
    replace: {
      pulse: {
        checkMoment: (question) => pulse.checkMoment(question),
        lookup: (question) => (faulty ? broken() : pulse.lookup(question)),
        lookupNow: (question) => (faulty ? broken() : pulse.lookupNow(question)),
      },
    },
  });
  key = (await service.account('refused@example.com', { plan: 'professional' })).key;
});
after(() => service.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(service.url + path, { headers });
  const text = await response.text();
  const { error } = JSON.parse(text) as {
    error?: { code: string; message: string; retry_after?: number; resets_at?: string };
  };
  return {
    status: response.status,
    code: error?.code,
    error,
    text,
    header: (name: string) => response.headers.get(name),
  };
}
const usedToday = async () => (await get('/pulse/v1/ip/8.8.8.8', { 'X-API-Key': key })).header('x-daily-remaining');

describe('history that cannot be read', () => {
  for (const [name, fails] of [
    ['its beginning', true],
    ['the address', false],
  ] as const) {
    test(`${name}: 503 history_unavailable, Retry-After 10, free, never a live verdict`, async () => {
      covers('ERR-history_unavailable', 'LIM-RETRY-503', 'PULSE-AT-NO-FALLBACK', 'PULSE-FREE-FAILED');
      earliestFails = fails;
      const before = Number(await usedToday());
      const seen = await get(`/pulse/v1/ip/8.8.8.8?at=${new Date(Date.now() - 60_000).toISOString()}`, {
        'X-API-Key': key,
      });
      assert.deepEqual(
        [seen.status, seen.code, seen.header('retry-after'), seen.error?.retry_after],
        [503, 'history_unavailable', '10', 10],
      );
      assert.ok(!seen.text.includes('risk') && !seen.text.includes('secret-place'));
      assert.equal(Number(await usedToday()), before - 1, 'only the lookup of the test itself');
    });
  }
});

test('an unexpected fault is internal_error, gives the day back, and nothing of the inside leaves', async () => {
  covers('ERR-INTERNAL', 'ERR-EVERY-PATH', 'REQ-ID', 'PULSE-FREE-FAILED');
  const before = Number(await usedToday());
  faulty = true;
  const seen = await get('/pulse/v1/ip/8.8.8.8', { 'X-API-Key': key });
  faulty = false;
  assert.deepEqual([seen.status, seen.code, seen.header('retry-after')], [500, 'internal_error', null]);
  assert.doesNotMatch(seen.text, /secret-place|disk|\.ts/);
  assert.ok(seen.header('x-request-id'));
  assert.ok(
    service.faults.some((fault) => fault.includes('secret-place')),
    'the operator is asked to act',
  );
  assert.equal(Number(await usedToday()), before - 1);
});
