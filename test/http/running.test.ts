/**
 * Events that must not disturb callers: new evidence under load, threads that die, a stop. Requests go on all
 * the while and none may fail.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { MOVABLE_CLOCK, type ServeProcess, serveProcess } from '../support/serve-process.ts';

let server: ServeProcess;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

before(async () => {
  const die = pathToFileURL(resolve(import.meta.dirname, '../support/die-on-request.ts')).href;
  server = await serveProcess({
    env: {
      ...MANY_ANONYMOUS,
      PULSE_WORKERS: '2',
      PULSE_LOG: 'info',
      NODE_OPTIONS: `--import=${MOVABLE_CLOCK} --import=${die}`,
    },
    clockAt: Date.now(),
  });
});
let over = false;
after(async () => {
  over = true;
  agent.destroy();
  await server.dispose();
});

interface Outcome {
  readonly status: number;
  readonly body: string;
  /** The answer says that its connection ends. */
  readonly last: boolean;
}

const ask = (path: string): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const sent = get(server.base + path, { agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, last: response.headers.connection === 'close' }),
      );
      response.on('error', reject);
    });
    sent.on('error', (error) =>
      reject(new Error(`on a ${sent.reusedSocket ? 'kept' : 'new'} connection: ${error.message}`, { cause: error })),
    );
  });

interface LoadOutcome {
  readonly answered: number;
  /** Answers that said their connection ends. */
  readonly last: number;
  readonly failed: readonly string[];
}

/**
 * Asks four at a time until told to stop, each so long after its last answer.
 * @returns how many were answered, and every bad answer
 */
function keepAsking(path: string, pauseMs = 0): { answered(): number; stop(): Promise<LoadOutcome> } {
  let going = true;
  let answered = 0;
  let last = 0;
  const failed: string[] = [];
  const lines = Array.from({ length: 4 }, async () => {
    while (going && !over) {
      try {
        const { status, body, ...outcome } = await ask(path);
        answered++;
        if (outcome.last) last++;
        if (status !== 200) failed.push(`${status} ${body}`);
      } catch (error) {
        failed.push((error as Error).message);
      }
      if (pauseMs > 0) await setTimeout(pauseMs);
    }
  });
  return {
    answered: () => answered,
    async stop() {
      going = false;
      await Promise.all(lines);
      return { answered, last, failed };
    },
  };
}

const stateOf = async (ip: string): Promise<unknown> =>
  (JSON.parse((await ask(`/v1/ip/${ip}`)).body) as { evidence_state: unknown }).evidence_state;

describe('new evidence under load', () => {
  test('imports small and large, up to a new image, fail no request, and every one of them becomes visible', async () => {
    covers('RUN-SWAP', 'CLI-SEEN');
    const load = keepAsking('/v1/ip/8.8.8.8', 5);
    const see = async (net: number, rows: number): Promise<void> => {
      const run = pulseOver(
        server.dataDir,
        ['evidence', 'import', '-', '--source', `load-${net}`, '--risk-type', 'proxy'],
        Array.from({ length: rows }, (_, n) => `45.${net}.${n >> 8}.${n & 255}`).join('\n'),
      );
      assert.equal(run.status, 0, run.stderr);
      await eventually(async () => (await stateOf(`45.${net}.0.0`)) === 'active', { everyMs: 50 });
    };
    await see(10, 1);
    await see(20, 2000);
    // Changes of this age are compiled into an image (evidence-follower.ts), as are very many.
    await server.moveClock(31 * 60_000);
    await eventually(() => server.output().includes('compiled evidence'), { hint: server.output });
    await see(30, 1);
    for (const net of [10, 20]) assert.equal(await stateOf(`45.${net}.0.0`), 'active', 'it is in the image');
    const { answered, last, failed } = await load.stop();
    assert.ok(answered > 100, `only ${answered} were answered`);
    assert.equal(last, 0, 'connections are kept');
    assert.deepEqual(failed, []);
  });
});

/** A request id begins with the letters of its thread. */
const threadOf = (head: string): string | undefined => /x-request-id: ([^-]+)-/i.exec(head)?.[1];
const LOOKUP = 'GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n';

interface Connection {
  readonly socket: Socket;
  readonly thread: string | undefined;
  /** All that came since its first answer. */
  text(): string;
}

/** A connection that has had one answer, so that a thread surely has it: the given one, or any. */
async function connectionTo(thread?: string): Promise<Connection> {
  return await eventually(async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    let text = '';
    socket.on('error', () => {}).on('data', (chunk) => (text += String(chunk)));
    socket.write(`${LOOKUP}\r\n`);
    await once(socket, 'data');
    const found = threadOf(text);
    text = '';
    if (thread === undefined || found === thread) return { socket, thread: found, text: () => text };
    socket.destroy();
    return false;
  });
}
const deaths = async (): Promise<string | undefined> =>
  /^pulse_thread_deaths_total (\d+)$/m.exec(await server.metrics())?.[1];

describe('a thread that dies', () => {
  test('answers requests it has begun, is counted and replaced, and the new one knows the evidence and the counters', async () => {
    covers('RUN-THREAD');
    assert.equal(await deaths(), '0');
    const begun = await connectionTo();
    const killer = await connectionTo(begun.thread);
    begun.socket.write('POST /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n');
    killer.socket.write('GET /v1/ip/zz HTTP/1.1\r\nHost: a\r\nX-Die: 1\r\n\r\n');
    await eventually(() => server.output().includes('nothing caught'), { everyMs: 5 });
    begun.socket.write('\r\n');
    await Promise.all([begun, killer].map(({ socket }) => socket.closed || once(socket, 'close')));
    assert.match(killer.text(), /^HTTP\/1\.1 400 [\s\S]*invalid_ip/, 'the request that killed it');
    assert.match(begun.text(), /^HTTP\/1\.1 405 [\s\S]*Connection: close[\s\S]*method_not_allowed/, 'begun');
    const statuses = new Set<number | undefined>();
    // A connection that the dead thread had taken ends with it; whatever is answered meanwhile is answered well.
    await eventually(async () => {
      statuses.add((await ask('/v1/ip/8.8.8.8').catch(() => undefined))?.status);
      return server.output().includes('a thread that answers requests was restarted');
    });
    statuses.delete(undefined);
    assert.deepEqual([...statuses], [200]);
    assert.match(server.output(), /a fault that nothing catches[\s\S]*a thread that answers requests died/);
    assert.equal(await deaths(), '1');
    const threads = new Set<string | undefined>();
    const dayLimit = Number(MANY_ANONYMOUS.PULSE_ANON_PER_DAY);
    await eventually(async () => {
      const asked = await fetch(`${server.base}/v1/ip/45.10.0.0`, { headers: { Connection: 'close' } });
      const left = Number(asked.headers.get('x-daily-remaining'));
      assert.deepEqual([asked.status, left < dayLimit - 100], [200, true]);
      assert.match(await asked.text(), /"evidence_state":"active"/);
      return threads.add(asked.headers.get('x-request-id')?.split('-')[0]).size === 2;
    });
  });

  test('lookups and batches are answered while the thread for everything else is dead; requests for that wait until it is back', async () => {
    const sockets = (): readonly string[] => readdirSync(join(server.dataDir, 'pipe'));
    const socketsBefore = sockets();
    const killer = await fetch(`${server.base}/llms.txt`, { headers: { 'X-Die': 'app' } });
    assert.equal(killer.status, 200, 'the request that killed it is answered');
    await eventually(() => server.output().split('nothing caught').length === 3, { everyMs: 5 });
    for (let i = 0; i < 20; i += 1) assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`)).status, 200);
    assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
    const batch = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"ips":["8.8.8.8"]}' };
    assert.equal((await fetch(`${server.base}/v1/ip/batch`, batch)).status, 200);
    const tool = { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } };
    const call = { ...batch, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }) };
    assert.equal((await fetch(`${server.base}/mcp`, call)).status, 200);
    const meanwhile = await fetch(`${server.base}/llms.txt`);
    if (meanwhile.status !== 200)
      assert.deepEqual([meanwhile.status, meanwhile.headers.has('retry-after')], [503, true]);
    await eventually(async () => (await fetch(`${server.base}/llms.txt`)).status === 200);
    const twice = /(?:a thread that answers requests died[\s\S]*was restarted[\s\S]*){2}/;
    await eventually(() => twice.test(server.output()), { hint: server.output });
    assert.deepEqual([socketsBefore.length, sockets().length], [1, 1]);
    assert.notDeepEqual(sockets(), socketsBefore, 'its successor has a socket of its own');
    assert.equal(await deaths(), '2');
  });
});

test('a stop under load ends with status 0, and no answer before it was bad', async () => {
  covers('RUN-STOP');
  const load = keepAsking('/v1/ip/8.8.8.8');
  await eventually(() => load.answered() > 100);
  const status = await server.stop();
  const { answered, last, failed } = await load.stop();
  assert.equal(status, 0);
  assert.ok(answered > 0);
  assert.ok(last > 0, 'clients learn that their connection ends before the port is closed');
  // A connection that the closing port had not yet accepted is refused or reset; one that was served is not,
  // and no answer is bad.
  for (const fault of failed) assert.match(fault, /^on a new connection: .*(ECONNREFUSED|ECONNRESET|socket hang up)/);
});
