/** The client when an answer is late, refuses, or never comes, over a fetch of the test's own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, describe, type TestContext, test } from 'node:test';
import { refusalOf } from '../../clients/typescript/src/guard.ts';
import { type GuardOptions, judge, Pulse, type PulseOptions } from '../../clients/typescript/src/index.ts';
import { failure } from './failure.ts';

/** A client whose answers come from a function, with how often it was asked. */
function answering(
  answer: (attempt: number, init: RequestInit) => Response | Promise<Response>,
  more: Partial<PulseOptions> = {},
) {
  const asked: RequestInit[] = [];
  const pulse = new Pulse({
    baseUrl: 'https://pulse.example.com',
    fetch: async (_url, init) => await answer(asked.push(init!), init!),
    ...more,
  });
  return { pulse, asked };
}
const refusal = (status: number, code: string, retryAfter?: number): Response =>
  new Response(JSON.stringify({ error: { code, message: 'x' } }), {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  });
const good = (): Response => new Response('{"ip":"8.8.8.8"}');
const turns = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

describe('attempts', () => {
  test('a batch whose answer lost a line is an error', async () => {
    const half = answering(() => new Response('{"ip":"8.8.8.8"}\n'));
    assert.equal((await failure(half.pulse.batch(['8.8.8.8', '8.8.8.9']))).code, 'invalid_answer');
  });

  test('Retry-After is waited for, to the second', async (t: TestContext) => {
    t.mock.timers.enable();
    const { pulse, asked } = answering((attempt) => (attempt === 1 ? refusal(429, 'rate_limited', 3) : good()), {
      timeoutMs: 10_000,
    });
    const call = pulse.ip('8.8.8.8');
    await turns();
    t.mock.timers.tick(2999);
    await turns();
    assert.equal(asked.length, 1);
    t.mock.timers.tick(1);
    assert.equal((await call).ip, '8.8.8.8');
    assert.equal(asked.length, 2);
  });

  test('a wait that the time for the call cannot hold is not begun', async () => {
    const { pulse, asked } = answering(() => refusal(429, 'rate_limited', 3), { timeoutMs: 2500 });
    const error = await failure(pulse.ip('8.8.8.8'));
    assert.deepEqual([error.code, error.retryAfter, asked.length], ['rate_limited', 3, 1]);
  });

  test('a passing fault is asked again as often as allowed, and nothing else is', async (t: TestContext) => {
    t.mock.timers.enable();
    const count = async (answer: () => Response, call: (pulse: Pulse) => Promise<unknown>): Promise<number> => {
      const { pulse, asked } = answering(answer, { retries: 3, timeoutMs: 1_000_000 });
      const ended = failure(call(pulse));
      for (let i = 0; i < 20; i++) {
        await turns();
        t.mock.timers.tick(10_000);
      }
      await ended;
      return asked.length;
    };
    const broken = (): Response => {
      throw new TypeError('connection refused');
    };
    const single = (pulse: Pulse) => pulse.ip('8.8.8.8');
    const batch = (pulse: Pulse) => pulse.batch(['8.8.8.8'], { timeoutMs: 1_000_000 });
    assert.equal(await count(() => refusal(503, 'not_ready', 2), single), 4);
    assert.equal(await count(() => new Response('<html>', { status: 502 }), single), 4);
    assert.equal(await count(broken, single), 4);
    assert.equal(await count(() => refusal(429, 'rate_limited', 2), batch), 4);
    // It is not known whether the request was charged.
    assert.equal(await count(broken, batch), 1);
    for (const code of ['quota_exceeded', 'quota_exceeded_anon', 'batch_over_rate_limit'])
      assert.equal(await count(() => refusal(429, code, 1), single), 1, code);
    for (const [status, code] of [
      [400, 'invalid_ip'],
      [401, 'invalid_key'],
      [404, 'not_found'],
      [500, 'internal_error'],
    ] as const)
      assert.equal(await count(() => refusal(status, code), single), 1, code);
  });

  test('the time for the call ends it, also while the body is being read', async () => {
    const silent = answering(
      (_, init) =>
        new Promise((_resolve, reject) => init.signal!.addEventListener('abort', () => reject(init.signal!.reason))),
      {
        timeoutMs: 20,
      },
    );
    assert.equal((await failure(silent.pulse.ip('8.8.8.8'))).code, 'timeout');
    const endless = await endlessServer();
    after(() => endless.close());
    assert.equal((await failure(new Pulse({ baseUrl: endless.base, timeoutMs: 200 }).ip('8.8.8.8'))).code, 'timeout');
  });

  test("the caller's signal ends the call with its own reason, before it, during it and during a wait", async () => {
    const controller = new AbortController();
    const waiting = answering(() => refusal(429, 'rate_limited', 50), { timeoutMs: 100_000 });
    const call = waiting.pulse.ip('8.8.8.8', { signal: controller.signal });
    await turns();
    controller.abort(new Error('the visitor left'));
    await assert.rejects(call, /the visitor left/);
    await assert.rejects(waiting.pulse.ip('8.8.8.8', { signal: controller.signal }), /the visitor left/);
    assert.equal(waiting.asked.length, 1);
  });

  test('no answer is cached, no redirect is followed, and an answer not of Pulse is an error', async () => {
    const { pulse, asked } = answering(() => new Response('<html>it works</html>'));
    assert.equal((await failure(pulse.ip('8.8.8.8'))).code, 'invalid_answer');
    assert.deepEqual([asked[0]!.cache, asked[0]!.redirect], ['no-store', 'manual']);
    const moved = answering(
      () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example/' } }),
    );
    assert.equal((await failure(moved.pulse.ip('8.8.8.8'))).code, 'invalid_answer');
    assert.equal(moved.asked.length, 1);
    assert.equal(
      (await failure(new Pulse({ baseUrl: 'http://127.0.0.1:1', retries: 0 }).ip('8.8.8.8'))).code,
      'network',
    );
  });
});

/** A server that sends the beginning of an answer and nothing more. */
async function endlessServer(): Promise<{ readonly base: string; close(): void }> {
  const { createServer } = await import('node:http');
  const http = createServer((_request, response) => void response.writeHead(200).write('{"ip":'));
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

describe('the questions of a guard', () => {
  const verdict = (): Response => new Response('{"evidence_state":"active","risk":{"score":90,"level":"high"}}');
  /** A guard at a moment that the test moves, and how many lookups it made. */
  function guarding(t: TestContext, answer: () => Response, more: Partial<GuardOptions> = {}) {
    t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    const { pulse, asked } = answering(answer);
    const options: GuardOptions = { pulse, failure: 'open', ...more };
    return {
      asked,
      judge: async (...ips: readonly string[]) => await Promise.all(ips.map((ip) => judge(options, ip))),
    };
  }

  test('a client that floods costs one lookup a second, and every request has the verdict', async (t) => {
    const { judge: ask, asked } = guarding(t, verdict);
    const first = await ask(...Array<string>(100).fill('8.8.8.8'));
    t.mock.timers.tick(999);
    const all = [...first, ...(await ask('8.8.8.8', '8.8.8.8'))];
    assert.deepEqual([asked.length, ...new Set(all.map(({ action }) => action))], [1, 'deny']);
    t.mock.timers.tick(1);
    await ask('8.8.8.8', '8.8.8.9');
    assert.equal(asked.length, 3);
  });

  test('of one /64 ten addresses a second are asked about, and the next are refused whatever `failure` says', async (t) => {
    const { judge: ask, asked } = guarding(t, verdict, { policy: { denyFrom: 101 } });
    const hosts = Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0 ? `2001:db8:0:1::${i}` : `2001:db8:0:1:0:0:0:${i}`,
    );
    const outcomes = await ask(...hosts, '2001:db8:0:2::1', '2001:db8::1', ...hosts.map((_, i) => `::ffff:8.8.8.${i}`));
    assert.deepEqual(
      [...outcomes.keys()].filter((i) => outcomes[i]!.without === 'flood'),
      [10, 11],
    );
    assert.deepEqual([refusalOf(outcomes[10]!)?.status, outcomes[9]!.action, asked.length], [429, 'challenge', 24]);
  });

  test('a used-up day is an outcome of its own, with a choice of its own', async (t) => {
    for (const code of 'quota_exceeded quota_exceeded_anon key_quota_exceeded quota_exceeded_ai_agent rate_limited'.split(
      ' ',
    ))
      for (const [more, expected] of [
        [{}, 'unknown'],
        [{ dayUsedUp: 'closed' }, code === 'rate_limited' ? 'unknown' : 'deny'],
      ] as const) {
        const [outcome] = await guarding(t, () => refusal(429, code, 3600), more).judge('8.8.8.8');
        assert.deepEqual(
          [outcome!.without, outcome!.action],
          [code === 'rate_limited' ? 'fault' : 'day', expected],
          code,
        );
        t.mock.timers.reset();
      }
  });
});
