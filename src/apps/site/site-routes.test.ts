import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import type { HttpServices } from '../http/services.ts';
import { siteRoutes } from './site-routes.ts';

test('pages take nothing from another host, sit in no frame, and tell other sites nothing, yet send our own forms with their Origin', async () => {
  const app = fastify();
  app.decorateRequest('exchange', null as never);
  app.addHook('onRequest', async (request) => {
    request.exchange = { headers: {}, request: request.raw } as never;
  });
  const services = { trustedProxies: [], sessions: undefined } as unknown as HttpServices;
  await siteRoutes({ document: '<html><head></head><body></body></html>', files: new Map() }, 'https://pulse.example')(app, { services });
  for (const url of ['/', '/en']) {
    const { statusCode, headers } = await app.inject({ url, remoteAddress: '198.51.100.7' });
    assert.equal(statusCode, 200);
    assert.equal(headers['referrer-policy'], 'same-origin', 'under no-referrer browsers send Origin: null');
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/);
    assert.doesNotMatch(String(headers['content-security-policy']), /unsafe-inline|https?:/);
    assert.deepEqual([headers['x-frame-options'], headers['x-content-type-options']], ['DENY', 'nosniff']);
  }
  await app.close();
});
