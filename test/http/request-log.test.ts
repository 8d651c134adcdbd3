/** PULSE_LOG_REQUESTS: an operator who is asked about an X-Request-Id finds it in the log. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

let server: ServeProcess;
let key: string;
before(async () => {
  const env = {
    PULSE_LOG: 'info',
    PULSE_LOG_REQUESTS: 'on',
    PULSE_ANON_PER_MIN: '1',
    PULSE_TRUSTED_PROXIES: '127.0.0.1',
  };
  server = await serveProcess({ env });
  ({ key } = createKey(server.dataDir, 'logged', ['--plan', 'enterprise']));
});
after(() => server.dispose());

interface Line {
  readonly msg?: string;
  readonly request_id?: string;
  readonly endpoint?: string;
  readonly status?: number;
  readonly code?: string;
  readonly ms?: number;
}
const lines = (): readonly Line[] =>
  server
    .output()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []));

test('every answer of both lanes has a line with its id, endpoint, status, code and time, and nothing of the caller', async () => {
  covers('LOG-REQUESTS');
  const client = { 'X-Forwarded-For': '198.51.100.77' };
  for (const [path, headers, endpoint, status, code] of [
    ['/v1/ip/8.8.8.8', { 'X-API-Key': key }, 'ip', 200, undefined],
    ['/v1/ip/8.8.8.8', client, 'ip', 200, undefined],
    ['/v1/ip/8.8.8.8', client, 'ip', 429, 'rate_limited'],
    ['/v1/me', {}, 'me', 401, 'key_required'],
    ['/v1/decide?ip=8.8.8.8', { 'X-API-Key': key }, 'decide', 204, undefined],
    ['/no/such/path', {}, 'other', 404, 'not_found'],
  ] as const) {
    const answer = await fetch(server.base + path, { headers });
    assert.equal(answer.status, status, path);
    const id = answer.headers.get('x-request-id')!;
    const found = await eventually(() => lines().find((line) => line.request_id === id) ?? false, {
      hint: () => `${path}\n${server.output()}`,
    });
    assert.deepEqual([found.msg, found.endpoint, found.status, found.code], ['request', endpoint, status, code], path);
    assert.ok(found.ms! >= 0 && found.ms! < 60_000);
  }
  for (const hidden of [key, '198.51.100.77', '8.8.8.8']) assert.ok(!server.output().includes(hidden), hidden);
});
