/** `pulse backup` and `pulse restore` of an installation whose records are in PostgreSQL. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { Client } from 'pg';
import { PostgresHistory } from '../../src/adapters/history/postgres/history.ts';
import { CaptureBatchBuilder } from '../../src/core/evidence/capture-batch-builder.ts';
import { unixMs } from '../../src/core/units.ts';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { type CommandLine, pulseCommand } from '../support/pulse-command.ts';
import { pulseEnvironment } from '../support/pulse-environment.ts';
import { testFolder } from '../support/test-folder.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
/** Rows enough that they do not fit into one piece of a copy. */
const CAPTURES = 20_000;

test('accounts, evidence and phone libraries in PostgreSQL are restored into an empty database alone', async (t) => {
  covers('BACKUP');
  const postgres = await sharedPostgres();
  if ('skip' in postgres) return t.skip(postgres.skip);
  const folder = testFolder('backup-postgres');
  const [dataDir, dir, elsewhere] = ['first', 'copy', 'second'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(dataDir);
  const [from, to] = [await postgres.createDatabase(), await postgres.createDatabase()];
  const over = (of: string, databaseUrl: string, line: CommandLine) =>
    pulseCommand(line, { env: { PULSE_DATA_DIR: of, PULSE_DATABASE_URL: databaseUrl } });
  createKey(dataDir, 'customer', ['--plan', 'private'], [], { PULSE_DATABASE_URL: from });
  assert.equal(over(dataDir, from, 'phone generate --library cn --records 500 --seed 1').status, 0);
  await capture(from, CAPTURES);

  const made = over(dataDir, from, ['backup', dir]);
  assert.equal(made.status, 0, made.stderr);
  assert.equal(statSync(join(dir, 'tables/accounts.copy')).mode & 0o777, 0o600);
  const restored = over(elsewhere, to, ['restore', dir]);
  assert.equal(restored.status, 0, restored.stderr);
  assert.deepEqual(await contentOf(to), await contentOf(from));
  assert.match(over(elsewhere, to, 'account list').stdout, /customer@example\.com/);

  await t.test('a restore that is killed leaves the database empty, blocks a start, and is run again', async () => {
    const [killed, third] = [join(folder, 'killed'), await postgres.createDatabase()];
    assert.equal(over(join(folder, 'empty'), third, 'account list').status, 0);
    const holder = new Client(third);
    await holder.connect();
    await holder.query('begin; lock table accounts in access share mode');
    const child = spawn(process.execPath, [MAIN, 'restore', dir], {
      env: { ...pulseEnvironment, PULSE_DATA_DIR: killed, PULSE_DATABASE_URL: third },
      stdio: 'ignore',
    });
    await eventually(async () => {
      const { rows } = await holder.query("select 1 from pg_locks where not granted and mode = 'AccessExclusiveLock'");
      return rows.length > 0;
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await holder.end();
    assert.match(over(killed, third, 'account list').stderr, /was cut short; run `pulse restore`/);
    const again = over(killed, third, ['restore', dir]);
    assert.equal(again.status, 0, again.stderr);
    assert.deepEqual(await contentOf(third), await contentOf(from));
  });

  await t.test('ids that the database gives go on behind those of the backup', async () => {
    await capture(to, 1, 'another');
    const [before, after] = [await contentOf(from), await contentOf(to)];
    assert.equal(after['evidence_sources']?.rows, before['evidence_sources']!.rows + 1);
  });

  await t.test('a database in which evidence and phone libraries were never made is restored too', async () => {
    const [accounts, empty] = [await postgres.createDatabase(), await postgres.createDatabase()];
    const [small, copy] = [join(folder, 'small'), join(folder, 'small-copy')];
    createKey(small, 'customer', [], [], { PULSE_DATABASE_URL: accounts });
    assert.equal(over(small, accounts, ['backup', copy]).status, 0);
    const made = over(join(folder, 'small-restored'), empty, ['restore', copy]);
    assert.equal(made.status, 0, made.stderr);
    assert.match(over(join(folder, 'small-restored'), empty, 'account list').stdout, /customer@example\.com/);
  });

  await t.test('a database with data, and a backup of the other store, are refused', () => {
    const used = over(join(folder, 'third'), to, ['restore', dir]);
    assert.equal(used.status, 1);
    assert.match(used.stderr, /the database of PULSE_DATABASE_URL holds data/);
    const other = pulseCommand(['restore', dir], { env: { PULSE_DATA_DIR: join(folder, 'third') } });
    assert.match(other.stderr, /the backup is of PostgreSQL; name an empty database/);
    assert.equal(existsSync(join(folder, 'third')), false);
  });

  await t.test('a restore that was killed behind the database goes on with the files', () => {
    const cut = join(folder, 'cut');
    mkdirSync(join(cut, 'restoring'), { recursive: true });
    cpSync(join(dir, 'backup.json'), join(cut, 'restoring/backup.json'));
    const again = over(cut, to, ['restore', dir]);
    assert.equal(again.status, 0, again.stderr);
    assert.match(over(cut, to, 'account list').stdout, /customer@example\.com/);
  });
});

async function capture(databaseUrl: string, rows: number, id = 'sensor'): Promise<void> {
  const store = new PostgresHistory(databaseUrl);
  const batch = new CaptureBatchBuilder();
  for (let n = 0; n < rows; n++) batch.addIpv4(0x2d010000 + n, 32);
  const now = unixMs(Date.now());
  await store.recordCaptures({ id, family: id, mode: 'events', riskType: 'proxy' }, now, batch.build(), now);
  await store.close();
}

interface Content {
  readonly rows: number;
  readonly hash: string;
}

/** Number and hash of the rows of every table, but for the notes of migrations, which each store makes itself. */
async function contentOf(databaseUrl: string): Promise<Readonly<Record<string, Content>>> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname !~ '_migrations?$'",
    );
    const content: Record<string, Content> = {};
    for (const { name } of tables) {
      const { rows } = await client.query<Content>(
        `select count(*)::int as rows, coalesce(md5(string_agg(t::text, e'\\n' order by t::text)), '') as hash from ${name} t`,
      );
      content[name] = rows[0]!;
    }
    return content;
  } finally {
    await client.end();
  }
}
