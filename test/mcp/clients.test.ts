import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BrowserJar } from '../support/browser-jar.ts';
import { startMcpService, type TestService } from '../support/mcp-service.ts';
import { sdkProvider } from '../support/oauth-client.ts';
import { testFolder } from '../support/test-folder.ts';

let service: TestService;
/** One whose minute has nothing left. */
let full: TestService;
before(async () => {
  [service, full] = await Promise.all([startMcpService(), startMcpService({ anonPerMin: 0 })]);
  await service.account('owner@example.com');
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await Promise.all([service.close(), full.close()]);
  assert.deepEqual(service.faults, []);
});

const info = { name: 'test', version: '1.0.0' };
// biome-ignore lint/suspicious/noExplicitAny: the two libraries' types differ in ways that do not matter here
type Connected = Promise<any>;
type Official = (url: URL, authProvider?: OAuthClientProvider) => Connected;

const v2 =
  (options: ConstructorParameters<typeof Client>[1]): Official =>
  async (url, authProvider) => {
    const client = new Client(info, options);
    const transport = new StreamableHTTPClientTransport(url, authProvider === undefined ? {} : { authProvider });
    await client.connect(transport);
    return { client, revision: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion };
  };

const v1: Official = async (url) => {
  const client = new ClientV1(info);
  const transport = new TransportV1(url);
  await client.connect(transport as never);
  assert.equal(transport.sessionId, undefined);
  return { client, revision: transport.protocolVersion };
};

const CLIENTS: Readonly<Record<string, readonly [Official, string]>> = {
  '1.x': [v1, '2025-11-25'],
  '2.x as it comes': [v2({}), '2025-11-25'],
  '2.x auto': [v2({ versionNegotiation: { mode: 'auto' } }), '2026-07-28'],
  '2.x pinned': [v2({ versionNegotiation: { mode: { pin: '2026-07-28' } } }), '2026-07-28'],
};

for (const [name, [official, revision]] of Object.entries(CLIENTS)) {
  test(`official client ${name}: connects, looks up, and sees refusals as they are meant`, async () => {
    const { client, revision: agreed } = await official(new URL(`${service.url}/mcp`));
    assert.equal(agreed, revision);
    const call = async (given: object, name = 'ip_risk_lookup') => {
      const { isError, content } = await client.callTool({ name, arguments: given });
      return { isError, ...JSON.parse(content[0].text) };
    };
    assert.equal((await call({ ip: '203.0.114.9' })).ip, '203.0.114.9');
    const batch = await call({ ips: ['203.0.114.9', '10.0.0.1'] }, 'ip_risk_batch');
    assert.deepEqual(
      [batch.billable, batch.results[0].ip, batch.results[1].error.code],
      [1, '203.0.114.9', 'reserved_ip'],
    );
    await assert.rejects(call({ ips: [] }, 'ip_risk_batch'), { code: -32_602 });
    const missing = await call({});
    assert.deepEqual([missing.isError, missing.error.code], [true, 'missing_ip']);
    await assert.rejects(call({ ip: '8.8.8.8' }, 'other'), { code: -32_601 });
    await assert.rejects(call({ ip: 5 }), { code: -32_602 });
    await client.close();
  });

  test(`official client ${name}: a handshake refused by the minute limit shows code and data`, async () => {
    await assert.rejects(
      official(new URL(`${full.url}/mcp`)),
      (error: { code?: number | string; data?: { error?: { code?: string } } }) => {
        // A pinned client has no era to fall back to and reports every refused discovery as its own error.
        if (error.code === 'ERA_NEGOTIATION_FAILED' && name === '2.x pinned') return true;
        assert.equal(error.code, -32_000);
        assert.equal(error.data?.error?.code, 'rate_limited');
        return true;
      },
    );
  });
}

for (const prefix of ['', '/en'] as const) {
  test(`given only ${prefix}/mcp/account the official client signs in by itself through the pages and gets a verdict`, async () => {
    const provider = sdkProvider(new BrowserJar(service.url), 'owner@example.com');
    const url = new URL(`${service.url}${prefix}/mcp/account`);
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider });
    await assert.rejects(new Client(info).connect(first), UnauthorizedError);
    await first.finishAuth(provider.back!.searchParams);
    const { client } = await v2({ versionNegotiation: { mode: 'auto' } })(url, provider);
    const { content } = await client.callTool({ name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } });
    assert.equal(JSON.parse(content[0].text).ip, '8.8.8.8');
    await client.close();
  });
}

test('the whole active conformance suite fails only where this server has nothing to answer with', async () => {
  const path = (name: string): string => new URL(name, import.meta.url).pathname;
  const bin = path('../../node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const of = ['--suite', 'active', '--expected-failures', path('conformance-baseline.yml')];
  const args = [bin, 'server', '--url', `${service.url}/mcp`, ...of, '-o', testFolder('conformance')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, faults, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(status, 0, output + faults);
  for (const scenario of [
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ])
    assert.match(output, new RegExp(`${scenario}: [1-9]\\d* passed, 0 failed`));
});
