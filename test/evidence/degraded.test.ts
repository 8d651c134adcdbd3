/** Verdicts that lack a source of evidence say so, from the first answer of a node on. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Status } from '../../src/contract/status.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseProcess } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { MOVABLE_CLOCK, type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const DAY = 24 * 60 * 60_000;
const iso = (at: number): string => new Date(at).toISOString();

let node: ServeProcess;
let headers: Readonly<Record<string, string>>;
before(async () => {
  const mirror = testFolder('degraded');
  writeFileSync(
    join(mirror, 'tor-exits.csv'),
    `ipaddr\n${Array.from({ length: 600 }, (_, i) => `1.2.${i >> 8}.${i & 255}`).join('\n')}\n`,
  );
  // Its publisher has stopped: it is retired from its first reading on, and not missed while the other is current.
  writeFileSync(
    join(mirror, 'iplocate-all-proxies.txt'),
    Array.from({ length: 200 }, (_, i) => `http://45.8.0.${i}:80\n`).join(''),
  );
  writeFileSync(
    join(mirror, 'manifest.json'),
    JSON.stringify({ files: { 'iplocate-all-proxies.txt': { published_at: iso(Date.now() - 400 * DAY) } } }),
  );
  node = await serveProcess({
    env: { PULSE_FEEDS: mirror, ...MANY_ANONYMOUS },
    clockAt: Date.now(),
  });
});
after(() => node.dispose());
const said = async (path: string) => {
  const response = await fetch(node.base + path, { headers: { ...headers } });
  return {
    body: (await response.json()) as Readonly<Record<string, unknown>>,
    header: response.headers.get('x-pulse-degraded'),
  };
};

const status = async (): Promise<Status> => (await (await fetch(`${node.base}/console/api/status`)).json()) as Status;

test('a node that has read none of its sources never calls an address unseen without saying so, and stops saying it once they are read', async () => {
  covers('IPRISK-DEGRADED');
  const wrong: unknown[] = [];
  await eventually(
    async () => {
      const { body, header } = await said('/v1/ip/1.2.1.1');
      const { degraded, evidence_state } = body;
      // None, and nothing said about sources that were not read; or said in one place alone.
      if (header !== (degraded === true ? '1' : null) || (degraded !== true && evidence_state !== 'active'))
        wrong.push(body);
      return degraded === undefined;
    },
    { everyMs: 5 },
  );
  assert.deepEqual(wrong, []);
  const { evidence, sources } = await status();
  assert.deepEqual(evidence, { expected: 1, missing: 0, retired: 1 });
  assert.deepEqual(
    sources.flatMap(({ id, state }) => (state === 'current' || state === 'retired' ? [`${id} ${state}`] : [])),
    ['iplocate-proxies retired', 'tor-nodes current'],
  );
});

test('a source past its bound makes every verdict degraded: the flag on the basic endpoint, the header on both', async () => {
  covers('IPRISK-DEGRADED', 'PULSE-NO-DEGRADED', 'PULSE-DEGRADED-HEADER');
  headers = { 'X-API-Key': createKey(node.dataDir, 'degraded', ['--plan', 'professional']).key };
  const says = (header: string | null) =>
    eventually(async () => (await said('/v1/ip/8.8.8.8')).header === header, { everyMs: 100, hint: node.output });
  await node.moveClock(40 * DAY);
  await says('1');
  const basic = await said('/v1/ip/8.8.8.8');
  assert.deepEqual([basic.body['degraded'], basic.header], [true, '1'], node.output());
  const professional = await said('/pulse/v1/ip/8.8.8.8');
  assert.deepEqual(['degraded' in professional.body, professional.header], [false, '1']);
  const shifted = { NODE_OPTIONS: `--import=${MOVABLE_CLOCK}`, TEST_CLOCK_SHIFT_MS: String(node.now() - Date.now()) };
  const printed = pulseProcess(['lookup', '8.8.8.8', '--json'], {
    env: { PULSE_DATA_DIR: node.dataDir, ...shifted },
  });
  assert.equal((JSON.parse(printed.stdout) as { readonly degraded?: unknown }).degraded, true, 'pulse lookup, too');
  assert.match(printed.stderr, /^degraded: 2 of 2 sources of evidence late or missing, the longest since 20/m);
  const { missing, expected, retired } = (await status()).evidence!;
  assert.deepEqual([missing, expected, retired], [2, 2, 0], 'while nothing is current nothing is retired');
  const at = iso(node.now());
  assert.equal((await said(`/pulse/v1/ip/8.8.8.8?at=${at}`)).header, '1', 'and so does the past');
  // A publisher that is gone is written off, and missed again when it is expected again.
  pulseJson(node.dataDir, ['feeds', 'off', 'iplocate-proxies']);
  for (const [to, header] of [
    ['off', null],
    ['on', '1'],
  ] as const) {
    pulseJson(node.dataDir, ['feeds', to, 'tor-nodes']);
    await says(header);
    assert.equal((await said(`/pulse/v1/ip/8.8.8.8?at=${at}`)).header, '1', 'what was so stays so');
  }
});
