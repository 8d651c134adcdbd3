import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { openHistory } from '../../src/adapters/evidence/open-history.ts';
import { covers } from '../spec/covers.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { testFolder } from '../support/test-folder.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const PSQL = spawnSync('psql', ['--version']).error === undefined;

let postgres: PostgresServer | undefined;
let why = PSQL ? '' : 'psql is not installed';
before(async () => {
  if (!PSQL) return;
  const server = await startPostgres();
  if ('skip' in server) why = server.skip;
  else postgres = server;
});
after(() => postgres?.dispose());

/** The secrets of a deployment, made as its operator makes them. */
function makeSecrets(): (name: string) => string {
  const folder = testFolder('secrets');
  mkdirSync(join(folder, 'deploy'));
  copyFileSync(join(DEPLOY, 'make-secrets.sh'), join(folder, 'deploy', 'make-secrets.sh'));
  execFileSync('sh', [join(folder, 'deploy', 'make-secrets.sh')]);
  return (name) => join(folder, 'deploy', 'secrets', name);
}

test('nodes of the compose file sign in as a role that owns their database, makes and fills their tables, and is not a superuser', async (t) => {
  covers('DEPLOY-ROLE');
  if (postgres === undefined) return t.skip(why);
  const compose = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
  const service = /\n {2}postgres:\n(.*?)\n\n/s.exec(compose)![1]!;
  const [, script] = /\.\/(postgres\/\S+\.sql):\/docker-entrypoint-initdb\.d\//.exec(service)!;
  assert.doesNotMatch(service, /POSTGRES_USER: pulse/, 'the superuser of the image');
  assert.doesNotMatch(/x-node:.*?\nservices:/s.exec(compose)![0], /postgres_password/);

  const secret = makeSecrets();
  const sql = readFileSync(join(DEPLOY, script!), 'utf8');
  const placed = sql.replaceAll('/run/secrets/database_password', secret('database_password'));
  assert.notEqual(placed, sql);
  const file = join(testFolder('role'), 'make-role.sql');
  writeFileSync(file, placed);
  const superuser = `postgres://pulse_admin@127.0.0.1:${postgres.port}/postgres`;
  await ask(superuser.replace('pulse_admin', 'pulse'), 'create role pulse_admin superuser login');
  // The cluster of tests has a superuser of that name.
  await ask(superuser, 'alter role pulse rename to first_superuser');
  execFileSync('psql', ['-v', 'ON_ERROR_STOP=1', '--no-password', '--no-psqlrc', superuser, '-f', file]);

  const databaseUrl = readFileSync(secret('PULSE_DATABASE_URL'), 'utf8').replace(
    '@postgres:5432/',
    `@127.0.0.1:${postgres.port}/`,
  );
  const rights = 'rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls';
  const [role] = await ask(
    databaseUrl,
    `select current_user as name, ${rights} as may from pg_roles where rolname = current_user`,
  );
  assert.deepEqual(role, { name: 'pulse', may: false });
  const { close } = await openAccounts({ dataDir: '/nonexistent', databaseUrl, secret: 'x'.repeat(40) });
  await close();
  const history = await openHistory({ dataDir: '/nonexistent', databaseUrl });
  assert.equal((await history.head()).sequence, 0);
  await history.close();
  for (const forbidden of [
    'select * from pg_authid',
    "copy (select 1) to program 'true'",
    'create role other',
    'create database other',
  ])
    await assert.rejects(ask(databaseUrl, forbidden), { code: '42501' }, forbidden);
});

async function ask(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
