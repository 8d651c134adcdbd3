/** Evidence that waits in a stream: nodes that store it, one of which is killed, and a Redis that goes away and comes back. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Redis } from 'iovalkey';
import { Client } from 'pg';
import { unixMs } from '../../src/core/units.ts';
import { type Accounts, openAccounts } from '../../src/main/accounts/open-accounts.ts';
import type { By } from '../../src/service/account-store.ts';
import { createAccount } from '../../src/service/create-account.ts';
import { createKey } from '../../src/service/create-key.ts';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { type Stores, startStores } from '../support/stores.ts';

const SECRET = 'one-secret-for-every-node-of-the-test';
const STREAM = 'pulse:{intake}:stream';
/** The advisory lock that writers of evidence take turns under. */
const WRITERS_LOCK = 7_301_001;

/** Every entry of the stream is handed out twice. */
const COPY_ENTRIES = `
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  redis.call('XADD', KEYS[1], '*', unpack(entry[2]))
  redis.call('INCRBY', KEYS[2], entry[2][6])
end`;

let why: string | undefined;
let stores: Stores | undefined;
let accounts: Accounts | undefined;
let store: Client;
let redis: Redis;
let key = '';
const nodes: ServeProcess[] = [];

before(async () => {
  const started = await startStores();
  if ('skip' in started) {
    why = started.skip;
    return;
  }
  stores = started;
  const env = { ...stores.env, PULSE_SECRET: SECRET, PULSE_WORKERS: '1', PULSE_INTAKE: 'stream' };
  nodes.push(...(await Promise.all([serveProcess({ env }), serveProcess({ env })])));
  accounts = await openAccounts({ dataDir: '/nonexistent', databaseUrl: stores.databaseUrl, secret: SECRET });
  const by: By = { actor: 'cli', at: unixMs(Date.now()) };
  const { id } = await createAccount(accounts.store, { email: 'o@example.com', plan: 'enterprise', operator: true }, by);
  key = (await createKey(accounts.store, accounts.hasher, { accountId: id }, by)).secret;
  store = new Client(stores.databaseUrl);
  await store.connect();
  redis = new Redis(stores.redis.url);
  redis.on('error', () => {});
});
after(async () => {
  redis?.disconnect();
  await store?.end();
  for (const node of nodes) await node.dispose();
  await accounts?.close();
  await stores?.dispose();
});

const guarantee = (title: string, body: (a: ServeProcess, b: ServeProcess) => Promise<void>): void => {
  test(title, async (t) => {
    if (why !== undefined) return t.skip(why);
    await body(nodes[0]!, nodes[1]!);
  });
};

interface Sent {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}
async function send(node: ServeProcess, source: string, ips: readonly string[], headers: Record<string, string> = {}): Promise<Sent> {
  const at = new Date(Date.now() - 60_000).toISOString();
  const lines = ips.map((ip) => `${JSON.stringify({ ip, risk_type: 'proxy', captured_at: at })}\n`).join('');
  const response = await fetch(`${node.base}/v1/evidence?source=${source}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson', ...headers },
    body: headers['Content-Encoding'] === 'gzip' ? gzipSync(lines) : lines,
  });
  const body = (await response.json()) as Sent['body'] & { readonly error?: { readonly code: string } };
  return { status: response.status, code: body.error?.code, body };
}
const countOf = async (source: string): Promise<number> => {
  const sql =
    'select count(*) as n from evidence_events e join evidence_tracks t on t.id = e.track join evidence_sources s on s.id = t.source where s.name = $1';
  return Number((await store.query<{ n: string }>(sql, [source])).rows[0]!.n);
};
const drained = (): Promise<unknown> => eventually(async () => (await redis.xlen(STREAM)) === 0, { withinMs: 60_000 });
const addresses = (net: number, count: number): string[] => Array.from({ length: count }, (_, i) => `45.70.${net}.${i}`);

guarantee('a batch is answered when the stream has it, with what is known by then, and is stored by a node of the group', async (a) => {
  const first = await send(a, 'plain', [...addresses(0, 3), '10.0.0.1'], { 'Idempotency-Key': 'one' });
  assert.deepEqual([first.status, first.body], [202, { lines: 4, queued: 3, refused: { reserved_address: { count: 1, first_lines: [4] } } }]);
  assert.deepEqual((await send(a, 'packed', addresses(1, 2), { 'Content-Encoding': 'gzip' })).body, { lines: 2, queued: 2, refused: {} });
  await drained();
  assert.deepEqual([await countOf('plain'), await countOf('packed')], [3, 2]);
  assert.equal((await send(a, 'plain', addresses(9, 1), { 'Idempotency-Key': 'one' })).code, 'bad_request', 'the name stands for other rows');
  assert.deepEqual((await send(a, 'plain', ['10.0.0.1'])).body, { lines: 1, queued: 0, refused: { reserved_address: { count: 1, first_lines: [1] } } });
});

guarantee('a node is killed while it stores: what it had begun is stored by the other, nothing is lost and nothing is double', async (a, b) => {
  await store.query('select pg_advisory_lock($1)', [WRITERS_LOCK]);
  try {
    for (let n = 0; n < 12; n++) {
      const sent = await send(n % 2 === 0 ? a : b, `sensor-${n % 3}`, addresses(10 + n, 20), n < 6 ? { 'Idempotency-Key': `batch-${n}` } : {});
      assert.deepEqual([sent.status, sent.body['queued']], [202, 20]);
    }
    const heldBy = async () => new Set(((await redis.xpending(STREAM, 'pulse', '-', '+', 100)) as [string, string][]).map(([, consumer]) => consumer)).size;
    await eventually(async () => (await heldBy()) === 2);
    // As a node leaves it that dies after the store has committed: what is stored is there once more.
    await redis.eval(COPY_ENTRIES, 2, STREAM, 'pulse:{intake}:bytes');
    await b.kill();
  } finally {
    await store.query('select pg_advisory_unlock($1)', [WRITERS_LOCK]);
  }
  await drained();
  assert.deepEqual([await countOf('sensor-0'), await countOf('sensor-1'), await countOf('sensor-2')], [80, 80, 80]);
  const batches = await store.query<{ n: string }>(
    `select count(*) as n from evidence_batches b join evidence_sources s on s.id = b.source where s.name like 'sensor-%'`,
  );
  assert.equal(Number(batches.rows[0]!.n), 12);
  assert.equal(Number(await redis.get('pulse:{intake}:bytes')), 0);
});

guarantee('an entry that no node of the deployment wrote is set aside and stops none', async (a) => {
  await redis.xadd(STREAM, '*', 'meta', '{"source":"forged"}', 'seal', 'x', 'size', '1', 'body', 'x');
  assert.equal((await send(a, 'honest', addresses(40, 5))).status, 202);
  await drained();
  assert.deepEqual([await countOf('honest'), await redis.xlen('pulse:{intake}:aside')], [5, 1]);
  const metrics = await a.metrics();
  for (const line of ['pulse_intake_stream_up 1', 'pulse_intake_waiting_batches 0', 'pulse_intake_set_aside_total 1'])
    assert.ok(metrics.includes(`${line}\n`), line);
});

guarantee('while Redis is away nothing is taken in, and what waited is there when it is back', async (a) => {
  await store.query('select pg_advisory_lock($1)', [WRITERS_LOCK]);
  try {
    assert.equal((await send(a, 'patient', addresses(50, 7))).status, 202);
    await stores!.redis.stop();
    const refused = await send(a, 'patient', addresses(51, 7), { 'Idempotency-Key': 'kept' });
    assert.deepEqual([refused.status, refused.code], [503, 'history_unavailable']);
    assert.ok((await a.metrics()).includes('pulse_intake_stream_up 0\n'));
    await stores!.redis.start();
  } finally {
    await store.query('select pg_advisory_unlock($1)', [WRITERS_LOCK]);
  }
  const again = await eventually(async () => {
    const sent = await send(a, 'patient', addresses(51, 7), { 'Idempotency-Key': 'kept' });
    return sent.status === 202 && sent;
  });
  assert.equal(again.body['queued'], 7);
  await drained();
  assert.equal(await countOf('patient'), 14);
});
