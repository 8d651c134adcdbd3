import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { rawHttp } from '../support/raw-http.ts';

let service: TestService;
before(async () => {
  service = await startMcpService();
});
after(() => service.close());

const PATHS = [
  '/mcp',
  '/mcp/account',
  '/v1/me',
  '/v1/nowhere',
  '/oauth/token',
  '/oauth/register',
  '/console/api/session',
];

test('a Content-Type without a body is answered like no body: nothing is waited for that never comes', async () => {
  const port = Number(new URL(service.url).port);
  for (const path of PATHS)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const length of ['', 'Content-Length: 0\r\n']) {
        const [answer] = await rawHttp(
          port,
          `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${length}\r\n`,
          { answers: 1 },
        );
        assert.ok(answer !== undefined, `${method} ${path} ${length}is answered`);
        assert.ok(answer.status >= 200 && answer.status < 500, `${method} ${path}: ${answer.status}`);
      }
  assert.deepEqual(service.faults, []);
});

test('an empty body is malformed JSON to MCP, and other methods are still 405', async () => {
  const port = Number(new URL(service.url).port);
  const ask = async (method: string): Promise<string> => {
    const [answer] = await rawHttp(
      port,
      `${method} /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\r\n`,
      { answers: 1 },
    );
    const body = answer?.body === '' ? {} : JSON.parse(answer?.body ?? '{}');
    return `${answer?.status} ${body.error?.code ?? ''}`;
  };
  assert.equal(await ask('POST'), '400 -32700');
  assert.equal(await ask('DELETE'), '405 method_not_allowed');
  assert.equal(await ask('OPTIONS'), '405 method_not_allowed');
});
