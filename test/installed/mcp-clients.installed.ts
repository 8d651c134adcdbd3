/** MCP clients of others, at pinned versions, against a running service: by key, and without one under localhost. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startMcpService, type TestService } from '../support/mcp-service.ts';

const IP = '203.0.114.9';
let service: TestService;
let key: string;
before(async () => {
  service = await startMcpService();
  ({ key } = await service.account('owner@example.com', { plan: 'private' }));
});
after(async () => {
  await service.close();
  assert.deepEqual(service.faults, []);
});

/** The packages are installed here alone, so that the compiler does not know them. */
const load = (name: string) => import(name);
const account = () => ({ url: `${service.url}/mcp/account`, headers: { 'X-API-Key': key } });

async function run(tool: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'node_modules/.bin', tool), ...args]);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk));
  const [status] = await once(child, 'close');
  assert.equal(status, 0, text);
  return text;
}

for (const era of ['legacy', 'auto', 'modern'])
  test(`the inspector finds no fault with the schemas (${era})`, async () => {
    const { url } = account();
    for (const [method, content] of [
      ['tools/list', /network_risk/],
      ['prompts/list', /triage_log/],
      ['resources/list', /pulse:\/\/feeds/],
    ] as const) {
      const strict = method === 'tools/list' ? ['--strict'] : [];
      const flags = ['--transport', 'http', '--method', method, ...strict, '--protocol-era', era];
      assert.match(await run('mcp-inspector', '--cli', url, ...flags, '--header', `X-API-Key: ${key}`), content);
    }
  });

test('the AI SDK lists and calls', async () => {
  const { createMCPClient } = await load('@ai-sdk/mcp');
  const client = await createMCPClient({ transport: { type: 'http', ...account() } });
  const { ip_risk_lookup: lookup } = await client.tools();
  const { structuredContent } = await lookup.execute({ ip: IP }, { toolCallId: 'x', messages: [] });
  assert.equal(structuredContent.ip, IP);
  await client.close();
});

test('the adapters of LangChain list and call', async () => {
  const { MultiServerMCPClient } = await load('@langchain/mcp-adapters');
  const client = new MultiServerMCPClient({ mcpServers: { pulse: { transport: 'http', ...account() } } });
  const [lookup] = await client.getTools();
  assert.match(JSON.stringify(await lookup.invoke({ ip: IP })), /203\.0\.114\.9/);
  await client.close();
});

test('OpenAI Agents list and call without a key', async () => {
  const { MCPServerStreamableHttp } = await load('@openai/agents');
  const server = new MCPServerStreamableHttp({ url: `${service.url}/mcp`, name: 'pulse' });
  await server.connect();
  assert.equal((await server.listTools()).length, 2);
  assert.match(JSON.stringify(await server.callTool('ip_risk_lookup', { ip: IP })), /203\.0\.114\.9/);
  await server.close();
});

test('mcporter writes typed stubs under localhost', async () => {
  const url = service.url.replace('127.0.0.1', 'localhost');
  assert.match(await run('mcporter', 'list', '--http-url', `${url}/mcp`, '--allow-http', '--schema'), /ip_risk_batch/);
});
