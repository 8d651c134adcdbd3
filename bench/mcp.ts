/**
 * One tool call against one REST look-up, in one run, over one server: processor time of the server's thread a request, so that neither the sender nor other
 * load on the machine counts.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startMcpService } from '../test/support/mcp-service.ts';

const ROUNDS = 5;
const REQUESTS = 1500;
const CONCURRENCY = 8;

/** A request as the sending thread gets it. */
type Sent = readonly [path: string, init?: RequestInit & { readonly headers?: Record<string, string> }];

async function send(base: string, [path, init]: Sent): Promise<void> {
  let left = REQUESTS;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left-- > 0) {
        const response = await fetch(`${base}${path}`, init);
        if (response.status !== 200) throw new Error(`answered ${response.status}`);
        await response.arrayBuffer();
      }
    }),
  );
}

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ip_risk_lookup', arguments: { ip: '203.0.114.9' } } };
const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const post = (message: object, headers: Record<string, string> = {}): Sent => [
  '/mcp',
  { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(message) },
];

const REQUESTED: Readonly<Record<string, Sent>> = {
  'GET /v1/ip/{ip}': ['/v1/ip/203.0.114.9'],
  'tools/call, 2025 revisions': post(call),
  'tools/call, 2026-07-28': post(
    { ...call, params: { ...call.params, _meta } },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ip_risk_lookup' },
  ),
};

const median = (values: readonly number[]): number => [...values].sort((one, two) => one - two)[values.length >> 1] ?? Number.NaN;

async function compare(): Promise<void> {
  const service = await startMcpService({ anonPerMin: 1_000_000_000, anonPerDay: 1_000_000_000 });
  const sender = new Worker(new URL(import.meta.url), { workerData: service.url });
  sender.on('error', (error) => {
    throw error;
  });
  const measure = async (sent: Sent): Promise<number> => {
    const before = process.threadCpuUsage();
    await new Promise((resolve) => {
      sender.once('message', resolve);
      sender.postMessage(sent);
    });
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / REQUESTS;
  };
  try {
    const samples = new Map<string, number[]>(Object.keys(REQUESTED).map((name) => [name, []]));
    for (let round = 0; round <= ROUNDS; round += 1)
      for (const [name, sent] of Object.entries(REQUESTED)) {
        const taken = await measure(sent);
        if (round > 0) samples.get(name)!.push(taken); // the first round warms up
      }
    const rest = median(samples.get('GET /v1/ip/{ip}')!);
    console.log('| request | server µs of processor time | against REST |');
    console.log('|---|---|---|');
    for (const [name, values] of samples) console.log(`| ${name} | ${median(values).toFixed(0)} | ${(median(values) / rest).toFixed(2)} × |`);
  } finally {
    await sender.terminate();
    await service.close();
  }
}

if (isMainThread) await compare();
else
  parentPort!.on('message', async (sent: Sent) => {
    await send(workerData as string, sent);
    parentPort!.postMessage('done');
  });
