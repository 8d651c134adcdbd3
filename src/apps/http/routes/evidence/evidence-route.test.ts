import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { covers } from '../../../../../test/spec/covers.ts';
import type { Account, ApiKey } from '../../../../core/caller/caller.ts';
import { unixMs } from '../../../../core/units.ts';
import { createHttpServer, type HttpServer } from '../../create-http-server.ts';
import type { HttpServices } from '../../services.ts';
import { evidenceRoute } from './evidence-route.ts';

const quiet = (): void => {};
const services = {
  clock: { now: () => unixMs(0) },
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  ledger: { flushed: () => undefined },
  keys: {
    remembered: () => undefined,
    find: (secret: string) => ({ status: 'ok', account: { id: secret, operator: secret === 'operator' } as Account, key: { id: 'key' } as ApiKey }),
  },
  limiter: { take: () => undefined, giveBack: () => {} },
  view: () => undefined,
  trustedProxies: [],
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

const taken: string[] = [];
let http: HttpServer;
let base = '';
before(async () => {
  const accept = async (source: string, body: Uint8Array) => {
    taken.push(`${source} ${new TextDecoder().decode(body)}`);
    return { lines: 1, accepted: 1, added: 1, refused: {} };
  };
  http = createHttpServer({ idPrefix: 't-', services, plugins: [evidenceRoute(accept as unknown as Parameters<typeof evidenceRoute>[0])] });
  base = `http://127.0.0.1:${await http.listen({ host: '127.0.0.1', port: 0, reusePort: false })}`;
});
after(() => http.close(100));

const LINE = '{"ip":"198.14.0.1","risk_type":"proxy"}\n';
async function send(key: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<readonly [number, string | undefined]> {
  const response = await fetch(`${base}/v1/evidence?source=s`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson', ...headers },
    body,
  });
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
}

test('a caller who may not send captures is refused before anything about the body', async () => {
  covers('ERR-ORDER');
  assert.deepEqual(await send('customer', LINE), [403, 'forbidden']);
  assert.deepEqual(await send('customer', ' '.repeat(9_000_000)), [403, 'forbidden']);
  assert.deepEqual(await send('customer', LINE, { 'Content-Type': 'text/plain' }), [403, 'forbidden']);
  assert.deepEqual(taken, []);
});

test('a body under a content coding is refused, not read as broken lines', async () => {
  assert.deepEqual(await send('operator', gzipSync(LINE), { 'Content-Encoding': 'gzip' }), [415, 'unsupported_media_type']);
  assert.deepEqual(taken, []);
  assert.deepEqual(await send('operator', LINE, { 'Content-Encoding': 'identity' }), [200, undefined]);
  assert.deepEqual(taken, [`s ${LINE}`]);
});
