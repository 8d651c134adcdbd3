import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import express from 'express';
import { Hono } from 'hono';
import type * as ExpressEntry from '../../clients/typescript/src/express.ts';
import type * as HonoEntry from '../../clients/typescript/src/hono.ts';
import type * as Index from '../../clients/typescript/src/index.ts';
import type { PackedClient } from '../support/packed-client.ts';

/** The header in which the tests' own proxy names the client. */
const HEADER = 'x-test-client';
type Failure = Index.GuardOptions['failure'];
type Ask = (ip: string | undefined) => Promise<{ readonly status: number; readonly text: string }>;

/** Each framework with its middleware, and a route behind it that answers with the action of the outcome. */
const FRAMEWORKS: Readonly<
  Record<string, (t: TestContext, packed: PackedClient, guard: Index.GuardOptions) => Promise<Ask>>
> = {
  async express(t, packed, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof ExpressEntry>('express');
    const app = express();
    app.use(pulseGuard({ ...guard, clientAddress: (request: express.Request) => request.get(HEADER) }));
    app.get('/', (request, response) => void response.send(outcomeOf(request)?.action));
    const listening = app.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    t.after(() => listening.close());
    const base = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
    return async (ip) => {
      const response = await fetch(base, {
        headers: { ...(ip !== undefined && { [HEADER]: ip }), connection: 'close' },
      });
      return { status: response.status, text: await response.text() };
    };
  },
  async hono(_t, packed, guard) {
    const { pulseGuard, outcomeOf } = await packed.load<typeof HonoEntry>('hono');
    const app = new Hono();
    app.use(pulseGuard({ ...guard, clientAddress: (context) => context.req.header(HEADER) }));
    app.get('/', (context) => context.text(String(outcomeOf(context)?.action)));
    return async (ip) => {
      const response = await app.request('/', { headers: ip === undefined ? {} : { [HEADER]: ip } });
      return { status: response.status, text: await response.text() };
    };
  },
};

/** The middleware of the packed client in each framework, over the sandbox of a running server. */
export function middlewareTests(world: {
  readonly packed: () => PackedClient;
  readonly sandbox: () => Index.Pulse;
}): void {
  for (const [name, build] of Object.entries(FRAMEWORKS)) {
    describe(`middleware for ${name}`, () => {
      const asking = (t: TestContext, failureIs: Failure, more: Partial<Index.GuardOptions> = {}): Promise<Ask> =>
        build(t, world.packed(), { pulse: world.sandbox(), failure: failureIs, timeoutMs: 20_000, ...more });

      test('denies by active evidence, and hands on what is allowed, challenged or unknown', async (t) => {
        const ask = await asking(t, 'closed');
        assert.deepEqual(await ask('192.0.2.5'), { status: 403, text: '{"error":"forbidden"}' });
        for (const [ip, action] of [
          ['192.0.2.3', 'allow'],
          ['192.0.2.4', 'challenge'],
          ['192.0.2.1', 'unknown'],
          ['192.0.2.2', 'unknown'],
          ['203.0.113.1', 'unknown'],
          ['10.0.0.1', 'unknown'],
        ])
          assert.deepEqual(await ask(ip), { status: 200, text: action }, `${ip}`);
      });

      test('takes an address as proxies write it: with a port, in brackets, with a zone', async (t) => {
        const ask = await asking(t, 'open', { allow: { prefixes: ['198.51.100.9'] } });
        for (const ip of ['192.0.2.5:50123', ' 192.0.2.5 ', '[::ffff:192.0.2.5]:443', '[::ffff:192.0.2.5]'])
          assert.equal((await ask(ip)).status, 403, ip);
        for (const ip of ['198.51.100.9:80', '[::ffff:198.51.100.9]:80'])
          assert.equal((await ask(ip)).text, 'allow', ip);
        const closed = await asking(t, 'closed');
        for (const ip of ['192.0.2.3:1', '[fe80::1%eth0]:443', 'fe80::1%eth0'])
          assert.equal((await closed(ip)).status, 200, ip);
      });

      test('lets requests through or refuses them where there is no verdict, as `failure` says', async (t) => {
        const seen: Index.Outcome[] = [];
        const open = await asking(t, 'open', { onOutcome: (outcome) => void seen.push(outcome) });
        const closed = await asking(t, 'closed');
        for (const ip of ['203.0.113.9', '203.0.113.5', 'no address', undefined]) {
          assert.deepEqual(await open(ip), { status: 200, text: 'unknown' }, `${ip}`);
          assert.deepEqual(await closed(ip), { status: 503, text: '{"error":"unavailable"}' }, `${ip}`);
        }
        const dayClosed = await asking(t, 'open', { dayUsedUp: 'closed' });
        assert.equal((await dayClosed('203.0.113.5')).status, 503);
        assert.equal((await dayClosed('203.0.113.9')).status, 200);
        assert.deepEqual(
          seen.map(({ reason }) => reason.replace(/.*: /, '')),
          ['not_ready', 'quota_exceeded_anon', 'invalid_ip', 'clientAddress gave no address.'],
        );
      });

      test('follows the policy, and tells a Tor exit by the professional document', async (t) => {
        const strict = await asking(t, 'closed', { policy: { challengeFrom: 1, denyFrom: 1 } });
        assert.equal((await strict('192.0.2.3')).status, 403);
        const spared = await asking(t, 'closed', { professional: true, policy: { denyFrom: 60 } });
        assert.deepEqual(await spared('198.51.100.33'), { status: 200, text: 'challenge' });
        assert.equal((await spared('198.51.100.9')).status, 403);
      });

      test('observes: decides and reports, and lets every request through; allowed clients are not asked about', async (t) => {
        const seen: Index.Outcome[] = [];
        const onOutcome = (outcome: Index.Outcome): void => void seen.push(outcome);
        const observe = await asking(t, 'closed', { mode: 'observe', professional: true, onOutcome });
        for (const ip of ['192.0.2.5', 'no address'])
          assert.deepEqual(await observe(ip), { status: 200, text: 'deny' });
        assert.deepEqual(
          seen.map(({ action, observed }) => [action, observed]),
          [
            ['deny', true],
            ['deny', true],
          ],
        );
        assert.match(seen[0]!.reason, /^proxy, \d+ \w+ ago, on \d+ of 14 days, score \d+$/);
        const allow = { prefixes: ['192.0.2.0/29', '2001:db8::/32'], accounts: ['ann'] };
        const sparing = await asking(t, 'closed', { allow });
        for (const ip of ['192.0.2.5', '::ffff:192.0.2.5', '2001:db8::3'])
          assert.deepEqual(await sparing(ip), { status: 200, text: 'allow' }, ip);
        assert.equal((await sparing('no address')).status, 503);
        await assert.rejects(asking(t, 'open', { allow: { prefixes: ['192.0.2.0/33'] } }), TypeError);
        await assert.rejects(asking(t, 'open', { mode: 'watch' as 'observe' }), TypeError);
        const { judge } = await world.packed().load<typeof Index>('index');
        const guard = { pulse: world.sandbox(), failure: 'closed', allow } as const;
        assert.equal((await judge(guard, '198.51.100.9', 'ann')).action, 'allow');
        assert.equal((await judge(guard, '198.51.100.9', 'bob')).action, 'deny');
      });

      test('is not built without failure and clientAddress', async (t) => {
        await assert.rejects(asking(t, undefined as unknown as Failure), TypeError);
        await assert.rejects(asking(t, 'open', { policy: { denyFrom: 0 } }), TypeError);
        await assert.rejects(asking(t, 'open', { dayUsedUp: 'maybe' as Failure }), TypeError);
      });
    });
  }
}
