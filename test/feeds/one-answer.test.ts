/** One answer to "which sources are missing", however PULSE_FEEDS had them come before. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openFeedStates } from '../../src/adapters/feeds/open-feeds.ts';
import type { Status } from '../../src/contract/status.ts';
import { said } from '../../src/core/texts/said.ts';
import { unixMs } from '../../src/core/units.ts';
import { isOnSchedule } from '../../src/service/feeds/feed-health.ts';
import { covers } from '../spec/covers.ts';
import { pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const mirror = testFolder('one-answer-mirror');
const dataDir = testFolder('one-answer');
const env = { PULSE_DATA_DIR: dataDir, PULSE_FEEDS: mirror, ...MANY_ANONYMOUS };
/** The mirror has a whole list and one that is refused. */
const [WHOLE, BROKEN] = ['tor-nodes', 'threatfox'];
const { catalogue, states } = openFeedStates({ dataDir });
const evidence = catalogue.filter((feed) => isOnSchedule(feed) && feed.effect.kind === 'risk');

let node: ServeProcess;
before(async () => {
  mkdirSync(dataDir, { recursive: true });
  writeSyntheticGeo(dataDir);
  const list = Array.from({ length: 600 }, (_, i) => `1.2.${i >> 8}.${i & 255}`).join('\n');
  writeFileSync(join(mirror, 'tor-exits.csv'), `ipaddr\n${list}\n`);
  writeFileSync(join(mirror, 'threatfox-ips.txt'), 'nothing useful\n');
  // As PULSE_FEEDS=auto without a network leaves them.
  const at = unixMs(Date.now() - 60_000);
  const fault = {
    lastAttemptAt: at,
    lastErrorAt: at,
    error: said('{host}: {why}', { host: 'https://lists.example', why: 'ENOTFOUND' }),
    failures: 3,
  };
  for (const { id } of catalogue.filter(isOnSchedule)) states.put(id, { ...fault, rows: 0, refused: {} });
  node = await serveProcess({ env, dataDir, waitMs: 120_000 });
});
after(() => node?.dispose());

const status = async (): Promise<Status> => (await (await fetch(`${node.base}/console/api/status`)).json()) as Status;
const degraded = async () => (await fetch(`${node.base}/v1/ip/8.8.8.8`)).headers.get('x-pulse-degraded');
const words = (args: readonly string[], feeds: string) => {
  const { stdout, stderr } = pulseCommand(args, { env: { ...env, PULSE_FEEDS: feeds } });
  return stdout + stderr;
};
interface Listed {
  readonly id: string;
  readonly state: string;
  readonly error?: string;
}
const listed = (): readonly Listed[] =>
  JSON.parse(pulseCommand(['feeds', 'list', '--json'], { env }).stdout) as readonly Listed[];
const isMissing = ({ state }: Pick<Listed, 'state'>): boolean => state === 'never_read' || state === 'late';

test('after a change to a mirror folder list, doctor, status, metrics and degraded miss the same source, and faults of before are gone', async () => {
  covers('ONE-MISSING');
  await eventually(async () => (await status()).evidence?.missing === 1, { withinMs: 60_000, hint: node.output });
  const { evidence: counts, sources } = await status();
  assert.deepEqual(counts, { expected: 2, missing: 1, retired: 0 });
  const missing = new Set(evidence.map(({ id }) => id));
  const of = (rows: readonly Pick<Listed, 'id' | 'state'>[]) =>
    rows.filter((row) => missing.has(row.id) && isMissing(row)).map(({ id }) => id);
  await eventually(async () => of((await status()).sources).length === 1, { hint: () => JSON.stringify(sources) });
  assert.deepEqual(of((await status()).sources), [BROKEN]);
  assert.deepEqual(of(listed()), [BROKEN]);
  assert.match(words(['feeds', 'list'], mirror), /^1 of 2 sources of evidence late or missing$/m);
  const doctor = words(['doctor'], mirror);
  assert.match(doctor, new RegExp(`never read, see .*: ${BROKEN}$`, 'm'));
  assert.doesNotMatch(doctor + words(['feeds', 'list'], mirror), /ENOTFOUND/);
  assert.deepEqual(
    listed().flatMap(({ id, error }) => (error === undefined ? [] : [id])),
    [BROKEN],
  );
  assert.equal(await degraded(), '1');
  await eventually(async () => (await node.metrics()).includes(`pulse_source_left_out{source="${BROKEN}"} 1`));
  assert.match(await node.metrics(), /^pulse_sources_expected 2$/m);
  const unheld = sources.find(({ id }) => id === 'windscribe');
  assert.deepEqual([unheld?.state, unheld?.left_out_because], ['left_out', 'the mirror folder does not hold it']);
});

test('with the last one switched off nothing is missing anywhere', async () => {
  pulseJson(dataDir, ['feeds', 'off', BROKEN!]);
  await eventually(async () => (await status()).evidence?.missing === 0, { withinMs: 60_000 });
  assert.doesNotMatch(words(['doctor'], mirror), /never read|fails/);
  assert.match(words(['feeds', 'list'], mirror), /^0 of 1 source of evidence late or missing$/m);
  await eventually(async () => (await degraded()) === null, { withinMs: 30_000 });
  assert.equal(listed().find(({ id }) => id === WHOLE)?.state, 'current');
});

test('PULSE_FEEDS=off expects nothing and repeats no fault', () => {
  const doctor = words(['doctor'], 'off');
  assert.match(doctor, /PULSE_FEEDS is off: no source is read/);
  assert.doesNotMatch(doctor + words(['feeds', 'list'], 'off'), /ENOTFOUND|never read, see|late or missing/);
});
