/** Events that must not disturb callers: new evidence under load, a thread that dies, a stop. Requests go on all the while and none may fail. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

let server: ServeProcess;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });

before(async () => {
  const die = pathToFileURL(resolve(import.meta.dirname, '../support/die-on-request.ts')).href;
  server = await serveProcess({
    env: { ...MANY_ANONYMOUS, NODE_OPTIONS: `--import=${die}` },
  });
});
after(async () => {
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

/** Asks without a pause until told to stop. @returns how many were answered, and every bad answer */
function keepAsking(path: string): { answered(): number; stop(): Promise<LoadOutcome> } {
  let going = true;
  let answered = 0;
  let last = 0;
  const failed: string[] = [];
  const lines = Array.from({ length: 4 }, async () => {
    while (going) {
      try {
        const { status, body, ...outcome } = await ask(path);
        answered++;
        if (outcome.last) last++;
        if (status !== 200) failed.push(`${status} ${body}`);
      } catch (error) {
        failed.push((error as Error).message);
      }
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
    const load = keepAsking('/v1/ip/8.8.8.8');
    const sizes = [1, 2000, 210_000];
    for (const [i, size] of sizes.entries()) {
      const rows = Array.from(
        { length: size },
        (_, n) => `45.${10 * (i + 1) + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`,
      );
      const run = pulseOver(
        server.dataDir,
        ['evidence', 'import', '-', '--source', `load-${i}`, '--risk-type', 'proxy'],
        rows.join('\n'),
      );
      assert.equal(run.status, 0, run.stderr);
      await eventually(async () => (await stateOf(`45.${10 * (i + 1)}.0.0`)) === 'active', {
        everyMs: 50,
        hint: () => `${size} rows`,
      });
    }
    assert.equal(await stateOf('45.10.0.0'), 'active', 'what came before the image is still there');
    const { answered, last, failed } = await load.stop();
    assert.ok(answered > 100, `only ${answered} were answered`);
    assert.equal(last, 0, 'connections are kept');
    assert.deepEqual(failed, []);
  });
});

/** Over connections of their own, which the kernel spreads: a request id begins with the letters of its thread. */
async function threadsThatAnswer(): Promise<number> {
  const threads = new Set<string | undefined>();
  for (let i = 0; i < 32; i++) {
    const { headers } = await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { Connection: 'close' } });
    threads.add(headers.get('x-request-id')?.split('-')[0]);
  }
  return threads.size;
}

describe('a thread that dies', () => {
  test('is replaced, and the new one knows the evidence and the counters', async () => {
    covers('RUN-THREAD');
    assert.equal(await threadsThatAnswer(), 2);
    await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { 'X-Die': '1', Connection: 'close' } });
    const statuses = new Set<number | undefined>();
    // A connection that the dead thread had taken ends with it; whatever is answered meanwhile is answered well.
    await eventually(async () => {
      statuses.add((await ask('/v1/ip/8.8.8.8').catch(() => undefined))?.status);
      return server.output().includes('a thread that answers requests was restarted');
    });
    statuses.delete(undefined);
    assert.deepEqual([...statuses], [200]);
    assert.match(
      server.output(),
      /a thread that answers requests died[\s\S]*a thread that answers requests was restarted/,
    );
    await eventually(async () => (await threadsThatAnswer()) === 2);
    const dayLimit = Number(MANY_ANONYMOUS.PULSE_ANON_PER_DAY);
    for (let i = 0; i < 16; i++) {
      const { headers, status } = await fetch(`${server.base}/v1/ip/45.10.0.0`, { headers: { Connection: 'close' } });
      assert.deepEqual([status, Number(headers.get('x-daily-remaining')) < dayLimit - 100], [200, true]);
      assert.equal(await stateOf('45.10.0.0'), 'active');
    }
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
  // A connection that the closing port had not yet accepted is refused or reset; one that was served is not, and no answer is bad.
  for (const fault of failed) assert.match(fault, /^on a new connection: .*(ECONNREFUSED|ECONNRESET|socket hang up)/);
});
