import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { covers } from '../../../test/spec/covers.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { countedAs, RequestCounts } from '../http/answer/request-counts.ts';
import { TodayCounts } from './today-counts.ts';

/** 23:50 in Shanghai. */
const EVENING = unixMs(Date.UTC(2026, 10, 21, 15, 50));

test('the day counts requests by route and refusals by code, from its beginning in the quota zone on', () => {
  covers('OPERATOR-DAY');
  const counts = new RequestCounts();
  let now: UnixMs = EVENING;
  const ask = (chain: string | undefined, times: number, code?: 'rate_limited' | 'invalid_ip'): void => {
    for (let n = 0; n < times; n++) {
      const response = {} as ServerResponse;
      counts.end(response, countedAs(chain), code === undefined ? 200 : 429);
      if (code !== undefined) counts.failed(response, code);
    }
  };
  ask('ip', 7, 'rate_limited');
  const today = new TodayCounts({ counts, clock: { now: () => now }, quotaTz: 'Asia/Shanghai' });
  assert.deepEqual(today.seen(), { since: '2026-11-21T15:50:00.000Z', requests: [], refusals: [] });

  ask('ip', 2);
  ask('ip', 1, 'invalid_ip');
  ask('pulse', 4, 'rate_limited');
  ask(undefined, 5);
  ask('console', 1);
  assert.deepEqual(today.seen(), {
    since: '2026-11-21T15:50:00.000Z',
    requests: [{ count: 6 }, { path: 'GET /pulse/v1/ip/{ip}', count: 4 }, { path: 'GET /v1/ip/{ip}', count: 3 }],
    refusals: [
      { code: 'rate_limited', count: 4 },
      { code: 'invalid_ip', count: 1 },
    ],
  });

  now = unixMs(EVENING + 600_000);
  today.beginDay();
  now = unixMs(EVENING + 900_000);
  ask('ip', 1);
  assert.deepEqual(today.seen(), {
    since: '2026-11-21T16:00:00.000Z',
    requests: [{ path: 'GET /v1/ip/{ip}', count: 1 }],
    refusals: [],
  });
});
