import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DAY_MS } from '../../src/core/units.ts';
import { createKey } from '../support/cli.ts';
import { clearOfMinuteEnd } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

/** Noon in Shanghai today, by the server's clock. */
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + 4 * 3_600_000;
const RESET = NOON / 1000 + 12 * 3600;

let server: ServeProcess;
before(async () => {
  server = await serveProcess({ clockAt: NOON, env: { PULSE_ANON_PER_MIN: '5' } });
});
after(() => server.dispose());

test('a minute that is used up when the clock goes back an hour refuses for a minute, not for an hour', async () => {
  const look = async () => {
    const response = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { Connection: 'close' } });
    await response.arrayBuffer();
    return response;
  };
  await clearOfMinuteEnd(server);
  for (let i = 0; i < 5; i++) assert.equal((await look()).status, 200);
  await server.moveClock(-3_600_000);
  const refused = await look();
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) <= 60);
  await server.moveClock(60_000);
  assert.equal((await look()).status, 200);
});

test('a clock that goes forth and back begins no day again, over HTTP and over a restart', async () => {
  const { key } = createKey(server.dataDir, 'moved-clock', ['--plan', 'free']);
  const headers = { 'X-API-Key': key };
  const me = async () => {
    const response = await fetch(`${server.base}/v1/me`, { headers });
    const { used_today, reset_unix } = (await response.json()) as { used_today: number; reset_unix: number };
    assert.equal(response.headers.get('x-daily-reset'), String(reset_unix));
    return { used_today, reset_unix };
  };
  const look = async () => {
    const response = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { ...headers, Connection: 'close' } });
    await response.arrayBuffer();
    assert.equal(response.status, 200);
    return Number(response.headers.get('x-daily-reset'));
  };
  for (let i = 0; i < 9; i++) assert.equal(await look(), RESET);
  assert.deepEqual(await me(), { used_today: 9, reset_unix: RESET });

  await server.moveClock(DAY_MS);
  assert.deepEqual(await me(), { used_today: 0, reset_unix: RESET + 86_400 });
  assert.equal(await look(), RESET + 86_400);
  await server.moveClock(-DAY_MS);
  assert.deepEqual(await me(), { used_today: 1, reset_unix: RESET + 86_400 });
  for (let i = 0; i < 4; i++) assert.equal(await look(), RESET + 86_400);
  await server.stop();
  server = await serveProcess({ dataDir: server.dataDir, clockAt: NOON });
  assert.deepEqual(await me(), { used_today: 5, reset_unix: RESET + 86_400 });

  await server.moveClock(3653 * DAY_MS);
  assert.equal(await look(), RESET + 3653 * 86_400);
  await server.moveClock(-3653 * DAY_MS);
  assert.deepEqual(await me(), { used_today: 9, reset_unix: RESET });
  assert.equal(await look(), RESET);
  assert.deepEqual(await me(), { used_today: 10, reset_unix: RESET });
});
