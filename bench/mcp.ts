/**
 * The tool ip_risk_lookup over POST /mcp compared with the same lookup over GET and with a bare node:http
 * server that parses the same request and answers the same bytes, interleaved in one run: server on core 0,
 * wrk on core 1.
 *
 *   node bench/mcp.ts [--rounds 5] [--seconds 2] [--data-dir DIR]
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import {
  type Contender,
  freePort,
  loadInTurns,
  loadTable,
  requireTools,
  scratch,
  script,
  start,
  startPulse,
  stopAll,
} from './peers/http-load.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    'data-dir': { type: 'string' },
  },
});

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } },
};
const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-06-18',
};

const BARE = (port: number, answer: string): string => `
import { createServer } from 'node:http';
const answer = ${JSON.stringify(answer)};
createServer((request, response) => {
  if (request.method === 'GET') return response.end();
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    JSON.parse(Buffer.concat(parts).toString());
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) });
    response.end(answer);
  });
}).listen(${port}, '127.0.0.1');
`;

try {
  requireTools();
  const dataDir = values['data-dir'] ?? join(scratch, 'data');
  if (values['data-dir'] === undefined) writeSyntheticGeo(dataDir);
  const rest = await startPulse({ name: 'pulse, GET /v1/ip', dataDir });
  const url = new URL('/mcp', rest.url).href;
  const response = await fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(CALL) });
  const answer = await response.text();
  if (response.status !== 200 || !answer.includes('computed_at'))
    throw new Error(`/mcp answered ${response.status}: ${answer}`);
  const lines = Object.entries(HEADERS).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  );
  const lua = script(
    'call.lua',
    `wrk.method = "POST"\nwrk.body = ${JSON.stringify(JSON.stringify(CALL))}\n${lines.join('\n')}\n`,
  );
  const port = await freePort();
  const bare = await start({
    name: 'node:http, same request and answer',
    command: [process.execPath, script('bare.mjs', BARE(port, answer))],
    url: `http://127.0.0.1:${port}/`,
  });
  const posting = (contender: Contender, changes: Partial<Contender>): Contender => ({
    ...contender,
    lua,
    slices: [],
    ...changes,
  });
  const all = [posting(bare, {}), posting(rest, { name: 'pulse, POST /mcp', url }), rest];
  loadInTurns(all, Number(values.rounds), { seconds: Number(values.seconds), connections: 64 });
  loadTable(all, 'bare');
} finally {
  await stopAll();
}
