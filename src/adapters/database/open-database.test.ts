import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { type PostgresServer, sharedPostgres } from '../../../test/support/postgres.ts';
import { testFolder } from '../../../test/support/test-folder.ts';
import { migratePostgres, migrateSqlite, type Schema } from './migrate.ts';
import { RECORDS, RECORDS_PLACE } from './migrations/index.ts';
import { connectDatabase, type DatabaseTarget, openDatabase, withBulkClient } from './open-database.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import { pruneChanges, recordChange } from './record-change.ts';
import type { Database } from './tables.ts';

const change = (subject: string) => ({ at: 1, actor: 'cli', action: 'account.set', topic: 'account', subject });

let postgres: PostgresServer | undefined;
let why = '';
before(async () => {
  const server = await sharedPostgres();
  if ('skip' in server) why = server.skip;
  else postgres = server;
});

interface Engine {
  readonly migrate: (target: DatabaseTarget, added: Schema['migrations']) => Promise<void>;
  readonly name: string;
  readonly target: () => Promise<DatabaseTarget | undefined>;
}
const extended = (schema: Schema, added: Schema['migrations']): Schema => ({
  ...schema,
  migrations: { ...schema.migrations, ...added },
});

async function tableNames(target: DatabaseTarget): Promise<readonly string[]> {
  const db = connectDatabase(target);
  const tables = await db.introspection.getTables();
  await db.destroy();
  return tables.map(({ name }) => name);
}

test('a file of SQLite that is never asked is never opened, so nothing is left open', async () => {
  const target = { dataDir: testFolder('db'), databaseUrl: undefined };
  await connectDatabase(target).destroy();
  assert.equal(existsSync(sqlitePath(target)), false);
});

const ENGINES: readonly Engine[] = [
  {
    name: 'SQLite',
    target: async () => ({ dataDir: testFolder('db'), databaseUrl: undefined }),
    async migrate(target, added) {
      const database = openSqlite(sqlitePath(target));
      try {
        migrateSqlite(database, extended(RECORDS.sqlite, added), sqlitePath(target));
      } finally {
        database.close();
      }
    },
  },
  {
    name: 'PostgreSQL',
    target: async () =>
      postgres === undefined ? undefined : { dataDir: '/nonexistent', databaseUrl: await postgres.createDatabase() },
    migrate: ({ databaseUrl }, added) =>
      withBulkClient(databaseUrl!, (client) =>
        migratePostgres(client, extended(RECORDS.postgres, added), RECORDS_PLACE, 1),
      ),
  },
];

test('a commit to pulse.db survives a power cut: a revoked key or an ended session does not come back', () => {
  const dataDir = testFolder('db');
  const database = openSqlite(sqlitePath({ dataDir }));
  const FULL = 2;
  assert.equal(database.prepare('pragma synchronous').get()!['synchronous'], FULL);
  database.close();
});

for (const engine of ENGINES) {
  describe(`records database on ${engine.name}`, () => {
    test('a migration that fails leaves nothing behind, and one that is added later is applied once', async (t) => {
      const target = await engine.target();
      if (target === undefined) return t.skip(why);
      const broken = ['create table half_done (id integer)', 'not a statement'];
      await assert.rejects(engine.migrate(target, { '9999-broken': broken }), /syntax/);
      assert.deepEqual(await tableNames(target), [], 'earlier migrations of the run are taken back too');
      await engine.migrate(target, {});
      const later = { '9998-later': ['create table later (id integer)'] };
      await Promise.all([engine.migrate(target, later), engine.migrate(target, later)]);
      const names = await tableNames(target);
      assert.ok(names.includes('later') && names.includes('accounts'), names.join());
    });

    test('change numbers of concurrent writers are gapless and become visible in order', async (t) => {
      const target = await engine.target();
      if (target === undefined) return t.skip(why);
      const writers = await Promise.all(Array.from({ length: 4 }, () => openDatabase(target)));
      const seen: number[] = [];
      const write = async (db: Kysely<Database>, id: number): Promise<void> => {
        for (let n = 0; n < 10; n += 1) {
          seen.push(await db.transaction().execute((trx) => recordChange(trx, change(`acc_${id}_${n}`))));
          const { top, held } = (await writers[0]!
            .selectFrom('changes')
            .select([sql<number>`coalesce(max(seq), 0)`.as('top'), sql<number>`count(*)`.as('held')])
            .executeTakeFirstOrThrow()) as { top: number; held: number };
          assert.equal(top, held, 'a number is visible only when every smaller one is');
        }
      };
      await Promise.all(writers.map(write));
      assert.deepEqual(
        seen.sort((a, b) => a - b),
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
      await pruneChanges(writers[0]!, 2);
      assert.equal((await writers[0]!.selectFrom('changes').selectAll().execute()).length, 0);
      assert.equal((await writers[0]!.selectFrom('audit_log').selectAll().execute()).length, 40, 'the log is kept');
      await Promise.all(writers.map((db) => db.destroy()));
    });

    test('a transaction that throws changes nothing', async (t) => {
      const target = await engine.target();
      if (target === undefined) return t.skip(why);
      const db = await openDatabase(target);
      const failing = db.transaction().execute(async (trx) => {
        await recordChange(trx, change('acc_1'));
        throw new Error('no');
      });
      await assert.rejects(failing, /no/);
      assert.equal((await db.selectFrom('change_counter').select('seq').executeTakeFirstOrThrow()).seq, 0);
      await db.destroy();
    });

    test('foreign keys are enforced and large counts stay exact numbers', async (t) => {
      const target = await engine.target();
      if (target === undefined) return t.skip(why);
      const db = await openDatabase(target);
      const orphan = {
        id: 'key_1',
        account_id: 'acc_none',
        name: '',
        hash: 'h',
        prefix: 'pk_',
        created_at: 1,
        phone: 1,
        sends: null,
        evidence: null,
      } as const;
      await assert.rejects(
        db
          .insertInto('api_keys')
          .values({ ...orphan, per_day: null, expires_at: null, revoked_at: null, last_used_at: null })
          .execute(),
      );
      await db
        .insertInto('changes')
        .values({ seq: Number.MAX_SAFE_INTEGER, topic: 't', subject: 's', at: 1_795_000_000_000 })
        .execute();
      assert.deepEqual(await db.selectFrom('changes').select(['seq', 'at']).executeTakeFirst(), {
        seq: Number.MAX_SAFE_INTEGER,
        at: 1_795_000_000_000,
      });
      await db.destroy();
    });
  });
}

test('a database that cannot be reached is named by its variable and address, with cause and remedy, without its password', async (t) => {
  if (postgres === undefined) return t.skip(why);
  const server = postgres.port;
  for (const [url, said] of [
    ['postgres://pulse:hunter22@127.0.0.1:1/pulse', 'nothing listens at the address. Start it'],
    [`postgres://pulse:hunter22@127.0.0.1:${server}/no_such_database`, 'there is no database of this name. Create it'],
  ] as const) {
    await assert.rejects(openDatabase({ dataDir: '/nonexistent', databaseUrl: url }), (error: Error) => {
      assert.match(error.message, new RegExp(`127[.]0[.]0[.]1:\\d+/.*PULSE_DATABASE_URL.*${said}`));
      assert.doesNotMatch(error.message, /hunter22/);
      return true;
    });
  }
});
