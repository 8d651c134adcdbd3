/** `pulse data export` and `pulse data import`: an installation moves from SQLite to PostgreSQL and back. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { SqliteHistory } from '../../src/adapters/history/sqlite/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { DAY_MS, HOUR_MS, unixMs } from '../../src/core/units.ts';
import { covers } from '../spec/covers.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { morningZone } from '../support/morning-zone.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
/** Rows enough that they do not fit into one piece of text. */
const CAPTURES = 20_000;
const ASKED = ['1.2.3.4', '1.2.4.9', '1.2.9.9', '2a02:2f0:5::1', '45.1.0.7'];
const BEFORE = Date.now() - 3 * HOUR_MS;

const folder = testFolder('move-stores');
const place = (name: string): string => join(folder, name);

const FILLED = [
  ...['accounts', 'api_keys', 'overrides', 'lists', 'watchlists', 'watch_states', 'phone_library', 'phone_cn_2'],
  ...['spells', 'events', 'batches', 'runs', 'journal', 'tracks'].map((name) => `evidence_${name}`),
];

interface Keys {
  readonly customer: ReturnType<typeof createKey>;
  readonly revoked: ReturnType<typeof createKey>;
}

test('an installation moves from SQLite to PostgreSQL and back: verdicts, keys, history, lists and counts are equal', async (t) => {
  covers('MOVE-STORES');
  const postgres = await sharedPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const databaseUrl = await postgres.createDatabase();
  const inPostgres = { PULSE_DATABASE_URL: databaseUrl };
  const over = (dataDir: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    pulseCommand(words, { env: { PULSE_DATA_DIR: dataDir, ...env } });
  const whole = (dataDir: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): string => {
    const { status, stderr, stdout } = over(dataDir, words, env);
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  };

  const settings = { PULSE_PHONE: 'on', PULSE_QUOTA_TZ: morningZone() };
  const first = await serveProcess({ env: settings });
  t.after(() => first.dispose());
  const keys = await use(first);
  const answers = await answersOf(first, keys);
  assert.deepEqual(
    answers.history.map(({ status }) => status),
    [200, 200, 200, 400, 200],
    'history covers IPv4 only',
  );
  assert.deepEqual(answers.now, ['active', 'none', 'active', 'active', 'active']);
  const noted = whole(first.dataDir, ['data', 'export', place('under-way')]);
  assert.match(noted, /a service uses this data folder: what it takes from now on is not in the export/);
  const used = await usedToday(first, keys);
  await first.stop();

  await t.test('what SQLite holds is what PostgreSQL holds, and what SQLite holds again', () => {
    assert.doesNotMatch(whole(first.dataDir, ['data', 'export', place('a')]), /a service uses/);
    whole(place('second'), ['data', 'import', place('a')], inPostgres);
    whole(place('second'), ['data', 'export', place('b')], inPostgres);
    whole(place('third'), ['data', 'import', place('b')]);
    whole(place('third'), ['data', 'export', place('c')]);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => tablesOf(place(name)));
    for (const name of FILLED) assert.ok((a![name]?.length ?? 0) > 0, name);
    assert.deepEqual(b, a);
    assert.deepEqual(c, a);
  });

  await t.test('both answer as the first one did', async () => {
    for (const [dataDir, env] of [
      [place('second'), inPostgres],
      [place('third'), {}],
    ] as const) {
      const server = await serveProcess({ dataDir, env: { ...settings, ...env } });
      try {
        assert.equal(await usedToday(server, keys), used);
        assert.deepEqual(await answersOf(server, keys), answers);
      } finally {
        await server.stop();
      }
    }
  });

  await t.test('a target that holds data is refused, with the reason, and stays as it was', () => {
    const taken = over(place('fourth'), ['data', 'import', place('a')], inPostgres);
    assert.equal(taken.status, 1);
    assert.match(taken.stderr, /the database of PULSE_DATABASE_URL holds data; restore into an empty one/);
    assert.equal(existsSync(place('fourth')), false);
    const full = over(place('third'), ['data', 'import', place('a')]);
    assert.match(full.stderr, /third holds data; move it away first: mv/);
  });

  await t.test('an export that was altered, or is of other tables, is refused before anything is made', () => {
    appendFileSync(place('c/tables/accounts.copy'), 'x');
    const altered = over(place('fourth'), ['data', 'import', place('c')]);
    assert.match(altered.stderr, /is damaged; nothing was changed:\n.*accounts\.copy is not what was written/);
    const manifest = readFileSync(place('b/backup.json'), 'utf8');
    writeFileSync(place('b/backup.json'), manifest.replace('"password_hash"', '"password_of_old"'));
    assert.match(over(place('fourth'), ['data', 'import', place('b')]).stderr, /those of another release of pulse/);
    writeFileSync(place('b/backup.json'), manifest);
    assert.equal(existsSync(place('fourth')), false);
  });

  await t.test(
    'the setting of the other store over a used folder names both commands; a restore changes no store',
    () => {
      for (const [dataDir, env] of [
        [first.dataDir, inPostgres],
        [place('second'), {}],
      ] as const)
        assert.match(
          over(dataDir, ['account', 'list'], env).stderr,
          /Move them: `pulse data export DIR` with the setting as it was, then `pulse data import DIR`/,
        );
      assert.match(
        over(place('fourth'), ['restore', place('a')], inPostgres).stderr,
        /those of SQLite.*`pulse data import`/,
      );
      assert.match(over(place('fourth'), ['restore', place('b')]).stderr, /into SQLite with `pulse data import`/);
      whole(first.dataDir, ['backup', place('files')]);
      const files = over(place('fourth'), ['data', 'import', place('files')], inPostgres);
      assert.match(files.stderr, /the backup is of SQLite.*`pulse data export` and `pulse data import`/);
    },
  );

  await t.test(
    'an import into SQLite that was killed is refused by every command, and the same import finishes it',
    async () => {
      const killed = place('killed');
      await killedDuring(['data', 'import', place('a')], { PULSE_DATA_DIR: killed }, () =>
        existsSync(join(killed, 'restoring/pulse.db')),
      );
      assert.match(over(killed, ['account', 'list']).stderr, /was cut short; run .*`pulse data import`/);
      whole(killed, ['data', 'import', place('a')]);
      whole(killed, ['data', 'export', place('of-killed')]);
      assert.deepEqual(tablesOf(place('of-killed')), tablesOf(place('a')));
    },
  );
});

/** Fills a running service through what its users and operators do. */
async function use(server: ServeProcess): Promise<Keys> {
  const { dataDir } = server;
  const customer = createKey(dataDir, 'customer', ['--plan', 'private', '--dpa']);
  const revoked = createKey(dataDir, 'former', ['--plan', 'private']);
  pulseJson(dataDir, ['key', 'revoke', revoked.keyId]);
  pulseJson(dataDir, [
    'override',
    'add',
    '1.2.9.9',
    '--deny',
    'proxy',
    '--reason',
    'a b \\N “c” \\',
    '--until',
    new Date(Date.now() + DAY_MS).toISOString(),
  ]);
  pulseJson(dataDir, ['list', 'save', 'blocked', '--min-score', '1']);
  pulseJson(dataDir, 'phone generate --library cn --records 500 --seed 1');
  const rows = [
    { ip: '1.2.3.4', risk_type: 'proxy', captured_at: new Date(BEFORE).toISOString(), pool: 'luminous' },
    { ip: '2a02:2f0:5::1', risk_type: 'vpn', captured_at: new Date(BEFORE + HOUR_MS).toISOString() },
  ];
  const imported = pulseCommand(
    ['evidence', 'import', '-', '--source', 'trap', '--since', new Date(BEFORE - DAY_MS).toISOString()],
    { env: { PULSE_DATA_DIR: dataDir }, input: rows.map((row) => JSON.stringify(row)).join('\n') },
  );
  assert.equal(imported.status, 0, imported.stderr);
  await recordList(join(dataDir, 'evidence.db'));
  const watched = await fetch(`${server.base}/v1/watchlists/mine`, {
    method: 'PUT',
    headers: { 'X-API-Key': customer.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Ours',
      entries: ['1.2.3.4', '1.2.4.0/24'],
      webhook: { url: 'https://receiver.example.com/hook' },
    }),
  });
  assert.equal(watched.status, 201, await watched.text());
  const held = join(dataDir, 'pulse.db');
  await eventually(() => count(held, 'watch_states') > 0);
  return { customer, revoked };
}

/** Two runs of a listing, the second without some of the entries, and many captures. */
async function recordList(path: string): Promise<void> {
  const store = new SqliteHistory(path);
  const [early, late] = [new CaptureBatchBuilder(), new CaptureBatchBuilder()];
  for (let n = 0; n < CAPTURES; n++) {
    early.addIpv4(0x2d010000 + n, 32);
    if (n % 2 === 1) late.addIpv4(0x2d010000 + n, 32);
  }
  const listing = { id: 'listed', family: 'listed', mode: 'listing', riskType: 'proxy' } as const;
  await store.recordRun(listing, unixMs(BEFORE), early.build(), unixMs(BEFORE));
  await store.recordRun(listing, unixMs(BEFORE + HOUR_MS), late.build(), unixMs(BEFORE + HOUR_MS));
  await store.close();
}

async function answersOf(server: ServeProcess, { customer, revoked }: Keys) {
  const ask = async (path: string, key = customer.key) => {
    const response = await fetch(server.base + path, { headers: { 'X-API-Key': key } });
    return { status: response.status, body: await response.text() };
  };
  const at = new Date(BEFORE + 2 * HOUR_MS).toISOString();
  // A start compiles the image first.
  await eventually(async () => (await ask('/v1/ip/45.1.0.7')).body.includes('"active"'));
  const document = async (path: string) => {
    const { status, body } = await ask(path);
    const { computed_at, meta, ...rest } = JSON.parse(body) as Record<string, unknown>;
    return { status, ...rest };
  };
  const watchlist: Record<string, unknown> = await document('/v1/watchlists/mine');
  return {
    history: await Promise.all(ASKED.map((ip) => document(`/pulse/v1/ip/${ip}?at=${at}`))),
    now: await Promise.all(
      ASKED.map(
        async (ip): Promise<unknown> => ((await document(`/v1/ip/${ip}`)) as Record<string, unknown>)['evidence_state'],
      ),
    ),
    list: (await ask('/lists/blocked.txt')).body.split('\n').toSorted(),
    watchlist: watchlist['entries'],
    refused: (await ask('/v1/me', revoked.key)).status,
  };
}

async function usedToday(server: ServeProcess, { customer }: Keys): Promise<number> {
  const response = await fetch(`${server.base}/v1/me`, { headers: { 'X-API-Key': customer.key } });
  return ((await response.json()) as { used_today: number }).used_today;
}

/** Lines of each table of an export but the notes of migrations; a store returns its rows in an order of its own. */
const tablesOf = (dir: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    readdirSync(join(dir, 'tables'))
      .filter((file) => !/migrations?\.copy$/.test(file))
      .sort()
      .map((file) => [
        file.replace('.copy', ''),
        readFileSync(join(dir, 'tables', file), 'utf8')
          .split('\n')
          .slice(0, -1)
          .sort(),
      ]),
  );

async function killedDuring(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  isReached: () => boolean | Promise<boolean>,
): Promise<void> {
  const child = spawn(process.execPath, [MAIN, ...words], { env: { ...pulseEnvironment, ...env }, stdio: 'ignore' });
  await eventually(isReached, { everyMs: 1 });
  child.kill('SIGKILL');
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
}

function count(path: string, table: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare(`select count(*) as rows from ${table}`).get()!['rows']);
  } finally {
    database.close();
  }
}
