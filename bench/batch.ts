/**
 * POST /v1/ip/batch and POST /pulse/v1/ip/batch with 1,000 random addresses a batch against the single GET,
 * fastify + maxmind that answers the same batches, and two bounds: node:http that sends as many bytes copied
 * from prepared documents, and the lookups alone in one process (cost of memory). All in one run: servers in
 * turns, pinned to core 0, wrk to core 1. Read ratios, not rates. Needs wrk and taskset, and `npm ci` in
 * bench/ for maxmind.
 *
 *   node bench/batch.ts [--rounds 5] [--seconds 2] [--connections 4] [--data-dir DIR]
 *
 * Without --data-dir the service runs on the small synthetic world of the tests, where most addresses are
 * unknown; with it on a copy of a folder that was built before (`pulse data build`).
 */
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomWords } from '../test/support/random.ts';
import { writeSyntheticGeo } from '../test/support/synthetic-geo.ts';
import {
  type Contender,
  freePort,
  loadInTurns,
  loadTable,
  ROOT,
  requireTools,
  scratch,
  script,
  start,
  startMaxmind,
  startPulse,
  stopAll,
  unlimitedKey,
} from './peers/http-load.ts';
import { median } from './peers/measure.ts';
import { publicAddress } from './peers/spend.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '4' },
    'data-dir': { type: 'string' },
  },
});

const BATCH = 1000;
/** Bodies that wrk sends in turns. */
const BODIES = 64;

const FASTIFY_ROUTE = `
app.get('/', () => ({}));
app.post('/v1/ip/batch', ({ body }) => {
  const computed_at = new Date().toISOString();
  return { count: body.ips.length, results: body.ips.map((ip) => ({ ip, geo: reader.get(ip) ?? null, computed_at })) };
});`;

/**
 * The bound of writing and sending: a body of 1,000 documents put together from prepared ones, for each
 * request that was read.
 */
const PREPARED = (port: number, document: string): string => `
import { createServer } from 'node:http';
const documents = Array.from({ length: ${BATCH} }, () => Buffer.from(${JSON.stringify(document)} + ','));
const body = Buffer.alloc(documents.length * documents[0].length);
createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    let at = 0;
    for (const document of documents) at += document.copy(body, at);
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': at });
    response.end(body);
  });
}).listen(${port}, '127.0.0.1');
`;

/** Public IPv4 addresses, the same in every run. */
function randomAddresses(count: number): readonly string[] {
  const random = randomWords(20_261_122);
  return Array.from({ length: count }, () => publicAddress(random));
}

const lua = (texts: readonly string[], format: string): string => `
local texts = {${texts.map((text) => `'${text}'`).join(',')}}
local at = 0
request = function()
  at = at % #texts + 1
  return ${format}
end
`;

const dataDir = join(scratch, 'data');
const ADDRESSES = join(scratch, 'addresses.txt');
const POST_JSON = `['Content-Type'] = 'application/json'`;

/** Key in hand before the server starts. */
function prepareData(): string {
  if (values['data-dir'] === undefined) writeSyntheticGeo(dataDir);
  else cpSync(values['data-dir'], dataDir, { recursive: true });
  return unlimitedKey(dataDir);
}

async function contenders(): Promise<readonly Contender[]> {
  const key = prepareData();
  const addresses = randomAddresses(BODIES * BATCH);
  writeFileSync(ADDRESSES, addresses.join('\n'));
  const bodies = Array.from({ length: BODIES }, (_, i) =>
    JSON.stringify({ ips: addresses.slice(i * BATCH, (i + 1) * BATCH) }),
  );
  const batches = script('batch.lua', lua(bodies, `wrk.format('POST', '/v1/ip/batch', { ${POST_JSON} }, texts[at])`));
  const keyed = script(
    'pulse.lua',
    lua(bodies, `wrk.format('POST', '/pulse/v1/ip/batch', { ${POST_JSON}, ['X-API-Key'] = '${key}' }, texts[at])`),
  );
  // Addresses that are in data, so that wrk counts no refusal: the first of the world without --data-dir.
  const known =
    values['data-dir'] === undefined ? Array.from({ length: 256 }, (_, i) => `8.8.8.${i}`) : await knownOnes(addresses);
  const singles = script('single.lua', lua(known, `wrk.format('GET', '/v1/ip/' .. texts[at])`));
  const pulse = await startPulse({ name: 'pulse, single GET', dataDir });
  const list: Contender[] = [
    { ...pulse, lua: singles },
    { ...pulse, name: `pulse, batches of ${BATCH}`, lua: batches, slices: [] },
    { ...pulse, name: `pulse, professional batches of ${BATCH}`, lua: keyed, slices: [] },
    await startPrepared(await oneDocument(pulse, bodies[0]!), batches),
  ];
  const peer = await startMaxmind(`fastify + maxmind, batches of ${BATCH}`, '/', FASTIFY_ROUTE);
  if (peer !== undefined) list.push({ ...peer, lua: batches });
  return list;
}

/** A document of usual length: the middle one by length of a batch. */
async function oneDocument(pulse: Contender, body: string): Promise<string> {
  const texts = (await answerOf(pulse, body)).map((item) => JSON.stringify(item)).sort((a, b) => a.length - b.length);
  return texts[texts.length >> 1]!;
}

async function startPrepared(document: string, load: string): Promise<Contender> {
  const port = await freePort();
  const command = [process.execPath, script('prepared.mjs', PREPARED(port, document))];
  return {
    ...(await start({
      name: `node:http, batches of ${BATCH} prepared documents`,
      command,
      url: `http://127.0.0.1:${port}/`,
    })),
    lua: load,
  };
}

type Item = { readonly ip: string; readonly error?: object };

async function answerOf(pulse: Contender, body: string): Promise<readonly Item[]> {
  const url = pulse.url.replace('8.8.8.8', 'batch');
  const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  return ((await response.json()) as { readonly results: readonly Item[] }).results;
}

/** Returns the first addresses that the service has a verdict for. */
async function knownOnes(addresses: readonly string[]): Promise<readonly string[]> {
  const pulse = await startPulse({ name: 'to ask', dataDir });
  const results = await answerOf(pulse, JSON.stringify({ ips: addresses.slice(0, BATCH) }));
  pulse.child.kill('SIGTERM');
  await new Promise((done) => pulse.child.once('exit', done));
  return results.filter(({ error }) => error === undefined).map(({ ip }) => ip);
}

/** Microseconds of processor time that the lookups of an address take by themselves. */
function memoryBound(rounds: number): number {
  const peer = join(ROOT, 'bench/peers/locate-addresses.ts');
  const output = execFileSync('taskset', ['-c', '0', process.execPath, peer, dataDir, ADDRESSES, String(rounds)], {
    encoding: 'utf8',
  });
  return median(output.trim().split('\n').map(Number));
}

/** Addresses a second, and microseconds of processor time an address. */
function addressTable(all: readonly Contender[], bound: number): void {
  const rows = all.map((one) => {
    const each = one.name.includes('batches') ? BATCH : 1;
    const rate = median(one.slices.map(({ rps }) => rps)) * each;
    const cpu = median(one.slices.map((slice) => slice.cpu)) / each;
    return { name: one.name, rate, cpu };
  });
  const single = rows[0]!;
  process.stdout.write(
    '| server | addresses/s | CPU µs an address | single GET ÷ CPU | CPU ÷ memory bound |\n|---|---|---|---|---|\n',
  );
  for (const { name, rate, cpu } of rows)
    process.stdout.write(
      `| ${name} | ${Math.round(rate)} | ${cpu.toFixed(3)} | ${(single.cpu / cpu).toFixed(1)} | ${(cpu / bound).toFixed(1)} |\n`,
    );
  process.stdout.write(
    `| the lookups alone, in one process | | ${bound.toFixed(3)} | ${(single.cpu / bound).toFixed(1)} | 1.0 |\n`,
  );
}

try {
  requireTools();
  const all = await contenders();
  loadInTurns(all, Number(values.rounds), { seconds: Number(values.seconds), connections: Number(values.connections) });
  loadTable(all, 'single GET');
  addressTable(all, memoryBound(Number(values.rounds)));
} finally {
  await stopAll();
}
