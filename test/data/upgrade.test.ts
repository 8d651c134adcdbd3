/** An upgrade starts from the stored baseline of each store; stores of other releases are refused as they are. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { withBulkClient } from '../../src/adapters/database/open-database.ts';
import { covers } from '../spec/covers.ts';
import { pulseJson } from '../support/cli.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { pulseCommand, pulseProcess } from '../support/pulse-command.ts';
import { serveProcess } from '../support/serve-process.ts';
import { writeSyntheticGeo } from '../support/synthetic-geo.ts';
import { testFolder } from '../support/test-folder.ts';

const BASELINE = join(import.meta.dirname, 'baseline');
const SECRET = 'the secret of the stored baseline, only of tests';
const CAPTURED = Date.parse('2026-11-28T12:00:00Z');
const FILES = ['pulse', 'evidence', 'phone'] as const;
const MIGRATIONS = ['kysely_migration', 'evidence_migrations', 'phone_migrations'] as const;

interface Store {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly made: { readonly key: string; readonly session: string; readonly pool: string };
  /** Runs a statement over the tables, which are named as in PostgreSQL. @returns its rows */
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
}

const text = (name: string): string => readFileSync(join(BASELINE, name), 'utf8');

function inFiles(): Store {
  const dataDir = testFolder('upgrade');
  const file = (name: string): DatabaseSync => new DatabaseSync(join(dataDir, `${name}.db`));
  for (const name of FILES) {
    const database = file(name);
    database.exec(text(`${name}.sql`));
    database.close();
  }
  return {
    dataDir,
    env: {},
    made: JSON.parse(text('made-sqlite.json')),
    async run(statement) {
      const name = /evidence_|phone_/.exec(statement)?.[0].slice(0, -1) ?? 'pulse';
      const database = file(name);
      const rows = database.prepare(statement.replaceAll('evidence_', '')).all();
      database.close();
      return rows;
    },
  };
}

async function inPostgres(): Promise<Store | undefined> {
  const server = await sharedPostgres();
  if ('skip' in server) return undefined;
  const databaseUrl = await server.createDatabase();
  const run = (statement: string): Promise<readonly Record<string, unknown>[]> =>
    withBulkClient(databaseUrl, async (client) => (await client.query(statement)).rows);
  await run(text('postgres.sql'));
  return {
    dataDir: testFolder('upgrade'),
    env: { PULSE_DATABASE_URL: databaseUrl },
    made: JSON.parse(text('made-postgres.json')),
    run,
  };
}

const STORES = { SQLite: async () => inFiles(), PostgreSQL: inPostgres };

async function isRefused({ dataDir, env, run }: Store, statements: readonly string[], sentence: RegExp): Promise<void> {
  for (const one of statements) await run(one);
  const counted = () => run('select count(*) as n from kysely_migration');
  const before = await counted();
  for (const words of [['serve'], ['account', 'list'], ['doctor'], ['backup', join(dataDir, '..', 'copy')]]) {
    const { status, stdout, stderr } = (words[0] === 'serve' ? pulseProcess : pulseCommand)(words, {
      env: { ...env, PULSE_DATA_DIR: dataDir, PULSE_PORT: '0' },
    });
    assert.match(`${status} ${stdout}${stderr}`, sentence);
  }
  assert.deepEqual(await counted(), before);
}

for (const [technology, open] of Object.entries(STORES)) {
  test(`${technology}: a service over the stored baseline answers as the one that wrote it`, async (t) => {
    covers('UPGRADE');
    const store = await open();
    if (store === undefined) return t.skip('PostgreSQL cannot be had here');
    const env = { ...store.env, PULSE_SECRET: SECRET };
    writeSyntheticGeo(store.dataDir);
    const server = await serveProcess({ dataDir: store.dataDir, env, clockAt: CAPTURED + 9 * 3_600_000 });
    t.after(() => server.kill());
    const ask = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(server.base + path, { headers: { 'X-API-Key': store.made.key }, ...init });
      const body = await response.text();
      assert.equal(response.status, 200, `${path}: ${body}\n${server.output()}`);
      return body;
    };
    const json = async (path: string) => JSON.parse(await ask(path));

    const entered = { email: 'customer@example.com', password: 'correct horse battery' };
    const form = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(entered) };
    assert.match(await ask('/console/api/session/sign-in', form), /customer@example\.com/);
    await ask('/console/api/session', { headers: { cookie: `pulse_session=${store.made.session}` } });

    const me = await json('/v1/me');
    assert.match(JSON.stringify(me), /1234/);
    for (const ip of ['1.2.3.4', '2a02:2f0:5::1', '1.2.9.9'])
      assert.equal((await json(`/v1/ip/${ip}`)).evidence_state, 'active', ip);
    const past = await json('/pulse/v1/ip/1.2.3.4?at=2026-11-28T15:00:00Z');
    assert.deepEqual([past.risk.score, past.resource_pools], [83, [store.made.pool]]);
    assert.equal((await json('/v1/me')).used_today, me.used_today + 4);
    assert.match(await ask('/lists/blocked.txt'), /^1\.2\.3\.4/m);
    assert.deepEqual((await json('/v1/watchlists/mine')).entries, ['1.2.3.4', '1.2.4.0/24']);
    assert.equal((await json('/v1/allowlist')).entries[0].prefix, '1.2.5.5/32');
    assert.equal(await server.stop(), 0);

    pulseJson(store.dataDir, 'phone generate --library cn --records 6 --seed 1', env);
    for (const table of MIGRATIONS)
      assert.notDeepEqual(await store.run(`select name from ${table} where hash is not null`), [], table);
  });

  test(`${technology}: a newer store, and one of before the baseline, is refused by start, doctor and backup`, async (t) => {
    covers('UPGRADE');
    const later = (table: string) => `insert into ${table} (name, timestamp) values ('0099-later', '')`;
    const create = (table: string) => `create table ${table} (name text primary key, timestamp text not null)`;
    const CASES: readonly (readonly [string[], RegExp])[] = [
      [[later('kysely_migration')], /^1[\s\S]*those of 0099-later\); use that release/],
      [
        [create('evidence_migrations'), later('evidence_migrations')],
        /^1[\s\S]*those of 0099-later\); use that release/,
      ],
      [[create('phone_migrations'), later('phone_migrations')], /^1[\s\S]*those of 0099-later\); use that release/],
      [
        ['alter table kysely_migration add column hash text', "update kysely_migration set hash = 'another'"],
        /^1[\s\S]*those of 0001-tables another\); use that release/,
      ],
      [['drop table identities'], /^1[\s\S]*from before 0\.2\.0.*`pulse evidence import` takes your captures again/],
      [['alter table evidence_tracks rename column sender to of_whom'], /^1[\s\S]*from before 0\.2\.0/],
    ];
    for (const [statements, sentence] of CASES) {
      const store = await open();
      if (store === undefined) return t.skip('PostgreSQL cannot be had here');
      await isRefused(store, statements, sentence);
    }
  });

  test(`${technology}: a store that lost a table or a column is refused by start, doctor and backup`, async (t) => {
    covers('UPGRADE');
    for (const [statement, lost] of [
      ['drop table identities', 'identities'],
      ['alter table accounts drop column allow_list', 'accounts'],
      ['drop table evidence_memory', '(evidence_)?memory'],
    ] as const) {
      const store = await open();
      if (store === undefined) return t.skip('PostgreSQL cannot be had here');
      const env = { ...store.env, PULSE_SECRET: SECRET };
      for (const words of ['account list', 'evidence sources']) pulseJson(store.dataDir, words, env);
      const sentence = new RegExp(
        `^1[\\s\\S]* lacks tables or columns that another program removed, of ${lost}: restore a backup`,
      );
      await isRefused(store, [statement], sentence);
    }
  });
}
