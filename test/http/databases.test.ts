/**
 * Database files over HTTP, as MaxMind's updaters ask for them: requests of geoipupdate 4 (`/update`, db_md5) and
 * of geoipupdate 6 and 7 (`/updates/metadata`, `/download`) as their sources build them.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Reader } from 'mmdb-lib';
import { DatabaseFiles } from '../../src/main/bulk/database-files.ts';
import type { DatabaseFile } from '../../src/service/databases/database-file.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { seenByThreads } from '../support/pulse-command.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder('databases');
let server: ServeProcess;
let operator: string;
let customer: string;
let basic: string;

before(async () => {
  server = await serveProcess({ env: MANY_ANONYMOUS });
  const rows = join(folder, 'rows.txt');
  writeFileSync(rows, '1.2.3.4\n');
  pulseJson(server.dataDir, ['evidence', 'import', rows, '--source', 'own', '--risk-type', 'proxy']);
  operator = createKey(server.dataDir, 'op', ['--operator']).key;
  customer = createKey(server.dataDir, 'customer', ['--plan', 'professional']).key;
  basic = createKey(server.dataDir, 'basic', []).key;
  await seenByThreads(
    async () => (await (await fetch(`${server.base}/v1/ip/1.2.3.4`)).json()) as { evidence_state: string },
    ({ evidence_state }) => evidence_state === 'active',
  );
});
after(() => server?.dispose());

/** Asks as an updater does, which comes again while a file is being made. */
async function ask(path: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
  const headersToo = { Authorization: `Basic ${btoa(`42:${key}`)}`, ...headers };
  let answer: Response | undefined;
  await eventually(
    async () => {
      answer = await fetch(`${server.base}${path}`, { headers: headersToo });
      if (answer.status === 503) assert.equal(answer.headers.get('retry-after'), '20');
      return answer.status !== 503;
    },
    { everyMs: 200 },
  );
  return answer!;
}

async function metadata(edition: string, key: string): Promise<{ date: string; md5: string }> {
  const answer = await ask(`/geoip/updates/metadata?edition_id=${edition}`, key);
  assert.equal(answer.status, 200);
  const { databases } = (await answer.json()) as { databases: { edition_id: string; date: string; md5: string }[] };
  assert.deepEqual(
    databases.map(({ edition_id }) => edition_id),
    [edition],
  );
  return databases[0]!;
}

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

test('geoipupdate 7 reads the version, then a tar.gz that tar unpacks, of the version it read', async () => {
  covers('EXPORT-UPDATER');
  for (const edition of ['Pulse-Risk', 'Pulse-Anonymous-IP', 'Pulse-City', 'Pulse-ASN', 'GeoLite2-ASN']) {
    const { date, md5: expected } = await metadata(edition, operator);
    assert.match(date, /^\d{4}-\d\d-\d\d$/);
    const answer = await ask(
      `/geoip/databases/${edition}/download?date=${date.replaceAll('-', '')}&suffix=tar.gz`,
      operator,
    );
    assert.equal(answer.status, 200);
    assert.ok(Date.parse(answer.headers.get('last-modified')!) <= Date.now());
    const packed = Buffer.from(await answer.arrayBuffer());
    assert.equal(packed.length, Number(answer.headers.get('content-length')));
    const into = join(folder, edition);
    mkdirSync(into);
    const { status, stderr } = spawnSync('tar', ['-xzf', '-', '-C', into, '--strip-components', '1'], {
      input: packed,
    });
    assert.equal(status, 0, String(stderr));
    const file = readFileSync(join(into, `${edition}.mmdb`));
    assert.equal(md5(file), expected);
    assert.equal(new Reader(file).metadata.databaseType, edition);
    assert.notEqual(new Reader(file).get('1.2.3.4'), null);
  }
});

test('geoipupdate 4 gets a gzip with its MD5, and 304 for the one it has', async () => {
  const url = '/geoip/databases/Pulse-Risk/update?db_md5=';
  const first = await ask(`${url}${'0'.repeat(32)}`, operator);
  assert.equal(first.status, 200);
  const file = gunzipSync(await first.arrayBuffer());
  assert.equal(md5(file), first.headers.get('x-database-md5'));
  assert.equal((await ask(`${url}${md5(file)}`, operator)).status, 304);
  const etag = first.headers.get('etag')!;
  assert.equal((await ask(url, operator, { 'If-None-Match': etag })).status, 304);
  assert.equal((await ask(url, operator, { 'If-Modified-Since': first.headers.get('last-modified')! })).status, 304);
  assert.equal((await ask(url, operator, { 'If-Modified-Since': 'Thu, 01 Jan 2026 00:00:00 GMT' })).status, 200);
});

test('keys of others get no data that may not be passed on', async () => {
  covers('EXPORT-UPDATER');
  const fileOf = async (key: string) =>
    new Reader(gunzipSync(await (await ask('/geoip/databases/Pulse-Risk/update', key)).arrayBuffer())) as Reader<never>;
  for (const [key, has] of [
    [operator, true],
    [customer, false],
  ] as const)
    assert.equal('network' in (await fileOf(key)).get('1.2.3.4')!, has);
  const named = async (key: string) =>
    new Reader(gunzipSync(await (await ask('/geoip/databases/Pulse-ASN/update', key)).arrayBuffer())).get('8.8.8.8');
  assert.deepEqual(await named(customer), { autonomous_system_number: 15169 });
  assert.deepEqual(await named(operator), {
    autonomous_system_number: 15169,
    autonomous_system_organization: 'Google LLC',
  });
  const dataDir = join(folder, 'own-layer');
  writeSyntheticGeo(dataDir, 'own-1', [{ id: 'a-bought-layer', version: '1' }]);
  const log = { error() {}, warn() {}, info() {}, debug() {} };
  const files = new DatabaseFiles({ config: { dataDir, databaseUrl: undefined }, log });
  try {
    assert.equal(await files.find('Pulse-City', false), 'withheld');
    // The thread that makes the file waits for a list that is a pipe, for longer than an old file is waited for.
    const pipe = join(dataDir, 'network', 'withheld.json');
    mkdirSync(join(dataDir, 'network'), { recursive: true });
    execFileSync('mkfifo', [pipe]);
    const first = files.find('GeoIP2-City', true);
    await setTimeout(8500);
    writeFileSync(pipe, '{}');
    assert.equal(
      ((await first) as DatabaseFile).edition,
      'GeoIP2-City',
      'an updater need not ask again for a first file',
    );
  } finally {
    await files.close();
  }
});

test('a basic plan gets no file of verdicts, and an unknown parameter none', async () => {
  covers('EXPORT-UPDATER');
  assert.equal((await ask('/geoip/updates/metadata?edition_id=Pulse-Risk', basic)).status, 403);
  for (const path of [
    'updates/metadata?edition_id=Pulse-Risk&x=1',
    'databases/Pulse-Risk/download?suffix=tar.gz&day=1',
  ])
    assert.equal((await ask(`/geoip/${path}`, operator)).status, 400, path);
  assert.equal((await ask('/geoip/databases/Pulse-Risk/update?md5=0', operator)).status, 400);
});

test('refusals: without a key, with a wrong one, of another day, of another name, of another form', async () => {
  const url = '/geoip/databases/Pulse-Risk/download?suffix=tar.gz';
  assert.equal((await fetch(`${server.base}${url}`)).status, 401);
  assert.equal((await ask(url, 'pk_wrong')).status, 401);
  assert.equal((await ask(`${url}&date=20200101`, operator)).status, 404);
  assert.equal((await ask('/geoip/databases/GeoLite2-Roads/download', operator)).status, 404);
  assert.equal((await ask('/geoip/databases/Pulse-Risk/download?suffix=zip', operator)).status, 400);
  assert.equal((await ask('/geoip/updates/metadata', operator)).status, 400);
  const none = await ask('/geoip/updates/metadata?edition_id=GeoLite2-Roads', operator);
  assert.deepEqual([none.status, await none.json()], [200, { databases: [] }]);
  const byHeader = await fetch(`${server.base}${url}`, { headers: { 'X-API-Key': operator } });
  assert.equal(byHeader.status, 200);
});
