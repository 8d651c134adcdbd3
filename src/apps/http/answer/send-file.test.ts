import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { sendFile, textFile } from './send-file.ts';

test('a coding of weight 0 is not sent, and a coding is named in any case', async () => {
  const file = textFile('text/plain', 'a text');
  const app = fastify();
  app.get('/', (request, reply) => sendFile(request, reply, { ...file, brotli: Buffer.from('packed') }));
  for (const [accepted, coding] of [
    ['gzip;q=0, identity', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, gzip; q=0', undefined],
    ['GZIP', 'gzip'],
    ['x-gzip, xbr', undefined],
    ['gzip, br', 'br'],
  ] as const) {
    const answer = await app.inject({ url: '/', headers: { 'accept-encoding': accepted } });
    assert.equal(answer.headers['content-encoding'], coding, accepted);
  }
  await app.close();
});
