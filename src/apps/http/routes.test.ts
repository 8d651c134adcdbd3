import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { COST_LIMITS } from '../../core/limits/limits.ts';
import { CHAINS } from './chains.ts';
import { createHttpServer } from './connection/create-http-server.ts';
import { ROUTES } from './routes.ts';
import type { HttpServices } from './services.ts';
import { ENDPOINTS } from './step.ts';

const APPS = resolve(import.meta.dirname, '..');

test('a server does not start with a route that routes.ts does not list', async () => {
  const services = { ledger: { flushed: () => undefined }, baseUrl: 'http://127.0.0.1' } as unknown as HttpServices;
  for (const [method, url] of [
    ['GET', '/v1/nowhere'],
    ['PUT', '/v1/me'],
  ] as const) {
    const http = createHttpServer({
      idPrefix: 't-',
      services,
      plugins: [(app) => void app.route({ method, url, handler: async () => ({}) })],
    });
    await assert.rejects(
      http.listen({ host: '127.0.0.1', port: 0, reusePort: false }),
      new RegExp(`${method} ${url} is not in routes.ts`),
    );
  }
});

test('a server does not start with a route that has a schema, for no compiler of schemas is loaded', async () => {
  const services = { ledger: { flushed: () => undefined }, baseUrl: 'http://127.0.0.1' } as unknown as HttpServices;
  const config = { unlisted: true } as const;
  const schema = { response: { 200: { type: 'object' } } };
  const http = createHttpServer({
    idPrefix: 't-',
    services,
    plugins: [(app) => void app.get('/x', { config, schema }, async () => ({}))],
  });
  await assert.rejects(http.listen({ host: '127.0.0.1', port: 0, reusePort: false }), /a route has a schema/);
});

test('no route is listed twice, and the file of each names the end of its path', () => {
  const keys = ROUTES.flatMap(({ methods, path }) => methods.split(', ').map((method) => `${method} ${path}`));
  assert.equal(new Set(keys).size, keys.length);
  const wrong = ROUTES.filter(({ path, file }) => {
    const end = path.split('/').findLast((segment) => segment !== '' && segment !== 'en' && !segment.startsWith(':'));
    return !file.startsWith('site/') && !readFileSync(resolve(APPS, file), 'utf8').includes(end ?? '/');
  });
  assert.deepEqual(wrong, []);
});

test('every counted endpoint is a chain of steps, and only phone numbers have steps after their body', () => {
  for (const endpoint of ENDPOINTS) assert.ok(CHAINS[endpoint].steps.length > 1, endpoint);
  const late = ROUTES.filter(({ chain }) => chain !== undefined && CHAINS[chain].afterBody.length > 0).map(
    ({ path }) => path,
  );
  assert.deepEqual(late, [
    '/v1/phone/lookup',
    '/v1/phone/batch',
    '/console/api/phone/lookup',
    '/console/api/phone/batch',
  ]);
});

test('every route has a cost; only requests that the ledger counts are lookups, and one that changes something is not fixed', () => {
  const counted = new Set([
    'ip',
    'pulse',
    'pulse-app',
    'pulse-range',
    'pulse-network',
    'console-network',
    'ip-batch',
    'pulse-batch',
    'decide',
    'check',
    'phone-lookup',
    'phone-batch',
    'console-pulse',
    'console-timeline',
    'console-phone-lookup',
    'console-phone-batch',
    'console-ip-batch',
  ]);
  for (const { methods, path, chain, cost } of ROUTES) {
    assert.equal(cost === 'lookup', chain !== undefined && counted.has(chain), path);
    if (cost !== 'lookup') assert.ok(cost in COST_LIMITS, `${methods} ${path} has the cost ${cost}`);
    if (/POST|PATCH|DELETE|PUT/.test(methods)) assert.notEqual(cost, 'fixed', path);
    if (chain?.startsWith('console') === true) assert.notEqual(cost, 'fixed', path);
  }
});
