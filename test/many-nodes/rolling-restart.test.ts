/** Nodes that restart one after another say of a known address what the others say, or that they are not ready. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { serveProcess } from '../support/serve-process.ts';
import { sharedStores } from '../support/stores.ts';
import { testFolder } from '../support/test-folder.ts';

/** Fewer than make an image, and more than a thread takes in one turn. */
const CAPTURES = 60_000;

test('three nodes that restart in turn answer no none for a known address', async (t) => {
  covers('READY-CAUGHT-UP');
  const stores = await sharedStores();
  if ('skip' in stores) return t.skip(stores.skip);
  const folder = testFolder('rolling');
  const env = {
    ...stores.env,
    ...MANY_ANONYMOUS,
    PULSE_SECRET: 'one-secret-for-every-node-of-the-test',
    PULSE_SNAPSHOT_URL: join(folder, 'images'),
  };
  const ingest = await serveProcess({ env, args: ['--role', 'ingest'] });
  t.after(() => ingest.dispose());
  const lines = Array.from({ length: CAPTURES }, (_, n) => `1.2.${n >> 8}.${n & 255}`);
  const imported = pulseCommand('evidence import - --source sensor --risk-type proxy --allow-known-good', {
    env: { PULSE_DATA_DIR: ingest.dataDir, ...env },
    input: lines.join('\n'),
  });
  assert.equal(imported.status, 0, imported.stderr);

  const nodes = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const port = await freePort();
      const start = () =>
        serveProcess({
          dataDir: join(folder, name),
          env: { ...env, PULSE_PORT: String(port) },
          args: ['--role', 'api'],
          waitMs: 240_000,
        });
      return { port, start, running: await start() };
    }),
  );
  t.after(() => Promise.all(nodes.map(({ running }) => running.kill())));
  const seen: Record<string, number> = {};
  let isDone = false;
  const look = async (port: number): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/ip/1.2.200.9`).catch(() => undefined);
    const body = answer?.status === 200 ? ((await answer.json()) as { evidence_state: string }) : undefined;
    const state = body?.evidence_state ?? String(answer?.status ?? 'refused');
    seen[state] = (seen[state] ?? 0) + 1;
    return isDone;
  };
  const watching = Promise.all(
    nodes.map(({ port }) => eventually(() => look(port), { withinMs: 600_000, everyMs: 5 })),
  );
  for (const node of nodes) {
    await node.running.stop();
    node.running = await node.start();
  }
  isDone = true;
  await watching;
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen['active']! > 100, JSON.stringify(seen));
  assert.equal(seen['none'], undefined, JSON.stringify(seen));
});
