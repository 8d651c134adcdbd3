/** `pulse mcp`: official clients start it, list, look up from local data, and see what is captured meanwhile. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Explanation, IPTimeline, NetworkRisk, PulseIPRisk } from '../../src/contract/documents.ts';
import { covers } from '../spec/covers.ts';
import { pulseJson } from '../support/cli.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const DAY = 24 * 3_600_000;
const IP = '1.2.3.4';
const now = Date.now();
const iso = (at: number): string => new Date(at).toISOString();
const dataDir = testFolder('mcp-stdio');
writeSyntheticGeo(dataDir);

const capture = (address: string, riskType: string, at: number): void => {
  const words = `evidence import - --source trap --risk-type ${riskType} --captured-at ${iso(at)} --since ${iso(now - 20 * DAY)}`;
  const { status, stderr } = pulseOver(dataDir, words, `${address}\n`);
  assert.equal(status, 0, stderr);
};
capture(IP, 'proxy', now - 9 * DAY);
capture(IP, 'vpn', now - DAY);

const command = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../../src/cli/main.ts'), 'mcp', '--lang', 'zh'],
  env: { ...pulseEnvironment, PULSE_DATA_DIR: dataDir, PULSE_FEEDS: 'off' },
};
const info = { name: 'test', version: '1.0.0' };

const CLIENTS = {
  'official client 1.x': async () => {
    const client = new ClientV1(info);
    await client.connect(new TransportV1(command));
    return client;
  },
  'official client 2.x': async () => {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport(command));
    return client;
  },
};

for (const [name, connect] of Object.entries(CLIENTS))
  test(`${name}: gets the tools and documents from local data, without server and key`, async () => {
    covers('MCP-STDIO');
    const client = await connect();
    try {
      const tools = (await client.listTools()).tools.map((tool) => tool.name);
      const all = 'ip_risk_lookup ip_risk_batch ip_risk_explain ip_risk_history network_risk phone_risk_lookup';
      assert.deepEqual(tools, all.split(' '));
      const call = async <Body>(tool: string, args: Record<string, unknown>): Promise<Body> => {
        const result = (await client.callTool({ name: tool, arguments: args })) as { content: { text: string }[] };
        return JSON.parse(result.content[0]!.text) as Body;
      };
      const timeless = ({ computed_at: _, ...document }: Record<string, unknown>) => document;
      assert.deepEqual(
        timeless(await call('ip_risk_lookup', { ip: '1.2.3[.]4' })),
        timeless(pulseJson(dataDir, ['lookup', IP])),
      );
      const at = iso(now - 8 * DAY);
      const past = await call<PulseIPRisk>('ip_risk_history', { ip: IP, at });
      assert.deepEqual(past, pulseJson(dataDir, ['lookup', IP, '--at', at]));
      assert.deepEqual(
        past.evidence.map(({ risk_type }) => risk_type),
        ['proxy'],
      );
      const { changes } = await call<IPTimeline>('ip_risk_history', { ip: IP });
      assert.ok(changes.some((change) => change.at === iso(now - DAY) && change.types.includes('vpn')));
      const { rows } = await call<Explanation>('ip_risk_explain', { ip: IP });
      assert.deepEqual(rows.map(({ risk_type }) => risk_type).sort(), ['proxy', 'vpn']);
      const { results } = await call<{ results: { error?: { code: string } }[] }>('ip_risk_batch', {
        ips: [IP, '10.0.0.1', ...Array.from({ length: 98 }, () => '8.8.8.8')],
      });
      assert.deepEqual([results.length, results[1]!.error?.code], [100, 'reserved_ip']);
      const neighbour = name.includes('1.x') ? '1.2.3.5' : '1.2.3.6';
      const inside = async () => (await call<NetworkRisk>('network_risk', { network: '1.2.3.0/24' })).addresses;
      const before = await inside();
      capture(neighbour, 'proxy', now);
      assert.equal(await inside(), before + 1, 'a capture of now counts in the next call');
      const refused = await call<{ error: { code: string; message: string } }>('ip_risk_lookup', { ip: '10.0.0.1' });
      assert.deepEqual([refused.error.code, /[\u4e00-\u9fff]/.test(refused.error.message)], ['reserved_ip', true]);
      const { contents } = await client.readResource({ uri: 'pulse://score' });
      assert.match((contents[0] as { text: string }).text, /^# /);
      const { messages } = await client.getPrompt({ name: 'investigate_address', arguments: { ip: IP } });
      assert.match(JSON.stringify(messages), /network_risk/);
    } finally {
      await client.close();
    }
  });
