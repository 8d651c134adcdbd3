import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { rawHttp } from '../../../../test/support/raw-http.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { COST_LIMITS, type CostClass } from '../../../core/limits/limits.ts';
import { unixMs } from '../../../core/units.ts';
import type { HttpServices } from '../services.ts';
import { isCounted, newAppPipe, takeSeal } from './app-pipe.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';

const AT = unixMs(Date.parse('2026-11-20T12:00:30Z'));
const quiet = (): void => {};
const closed: (() => unknown)[] = [];
after(async () => {
  for (const close of closed) await close();
});

/**
 * A lookup thread whose limiter is full for every class, or for none, and what came through its pipe, with
 * the class that was counted.
 */
async function start({ isFull = false, later = false }) {
  const address = newAppPipe(join(testFolder('pipe'), 's'));
  const taken: string[] = [];
  const through: string[] = [];
  const app = createServer((request, response) => {
    assert.ok(takeSeal(request, address.seal));
    const counted = (Object.keys(COST_LIMITS) as CostClass[]).find((cost) => isCounted(request, cost));
    through.push(`${request.method} ${request.url} ${counted ?? '-'}`);
    response.end();
  });
  app.listen({ path: address.path });
  await once(app, 'listening');
  const services = {
    clock: { now: () => AT },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    ledger: { flushed: () => undefined },
    limiter: {
      take: ([counter]: readonly { readonly id: string }[]) => {
        taken.push(counter!.id);
        const refusal = isFull ? { endsAt: AT + 5000 } : undefined;
        return later ? Promise.resolve(refusal) : refusal;
      },
      giveBack: quiet,
    },
    view: () => undefined,
    trustedProxies: [],
    baseUrl: 'http://127.0.0.1',
  } as unknown as HttpServices;
  const http: HttpServer = createHttpServer({ idPrefix: 't-', services, plugins: { relaysMax: 4 } });
  const port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
  http.setApp(address);
  closed.push(
    () => http.close(0),
    () => app.closeAllConnections(),
    () => app.close(),
  );
  const ask = async (line: string, more = '') => {
    const [answer] = await rawHttp(port, `${line} HTTP/1.1\r\nHost: a\r\n${more}Content-Length: 0\r\n\r\n`, {
      answers: 1,
    });
    return answer!;
  };
  return { ask, taken, through };
}

for (const later of [false, true]) {
  const where = later ? 'at another server' : 'in this process';
  test(`a request is counted in the class of its route before the pipe, by a limiter ${where}`, async () => {
    const { ask, taken, through } = await start({ later });
    for (const line of [
      'GET /',
      'HEAD /en/docs?x=1',
      'POST /mcp',
      'DELETE /console/api/keys/k1',
      'GET /unknown',
      'PUT /',
    ])
      assert.equal((await ask(line)).status, 200);
    assert.deepEqual(
      taken,
      ['fixed', 'fixed', 'handshake', 'write'].map((cost) => `${cost} 127.0.0.1`),
    );
    assert.deepEqual(through, [
      'GET / fixed',
      'HEAD /en/docs?x=1 fixed',
      'POST /mcp handshake',
      'DELETE /console/api/keys/k1 write',
      'GET /unknown -',
      'PUT / -',
    ]);
  });

  test(`a request beyond its class is answered 429 and takes no place in the pipe, by a limiter ${where}`, async () => {
    const { ask, through } = await start({ later, isFull: true });
    for (const line of ['GET /', 'POST /mcp', 'GET /console/api/keys', 'POST /console/api/session/sign-in']) {
      const { status, headers, body } = await ask(line);
      assert.deepEqual([status, headers['retry-after'], JSON.parse(body).error.code], [429, '5', 'rate_limited']);
      assert.match(headers['x-request-id']!, /^t-/);
    }
    assert.deepEqual(through, []);
  });

  test(`pages and OAuth refuse in their own words, by a limiter ${where}`, async () => {
    const { ask, through } = await start({ later, isFull: true });
    await ask('GET /', 'Accept: text/html\r\n');
    await ask('POST /oauth/token');
    assert.deepEqual(through, ['GET / -', 'POST /oauth/token -']);
  });
}

test('a browser with a cookie is counted where passwords are asked for by the thread that knows it', async () => {
  const { ask, taken, through } = await start({ isFull: true });
  await ask('POST /console/api/session/sign-in', 'Cookie: pulse_device=x\r\n');
  assert.deepEqual([taken, through], [[], ['POST /console/api/session/sign-in -']]);
});
