import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { connectFromAnsweringThread, openDatabase } from './open-database.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import type { Database } from './tables.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'pulse-thread-'));
const target = { dataDir, databaseUrl: undefined };
let db: Kysely<Database>;
before(async () => {
  await (await openDatabase(target)).destroy();
  db = connectFromAnsweringThread(target);
});
after(async () => {
  await db.destroy();
  rmSync(dataDir, { recursive: true });
});

const link = (id: string) => ({ id, purpose: 'verify', email: 'one@example.com', payload: '{}', created_at: 1, expires_at: 2 });
const links = async (): Promise<readonly string[]> => (await db.selectFrom('mail_links').select('id').orderBy('id').execute()).map(({ id }) => id);

test('statements answer as they do on a connection of this thread', async () => {
  await db
    .insertInto('mail_links')
    .values([link('a'), link('b')])
    .execute();
  assert.deepEqual(await db.selectFrom('mail_links').selectAll().where('id', '=', 'a').execute(), [link('a')]);
  const { numUpdatedRows } = await db.updateTable('mail_links').set({ email: 'two@example.com' }).executeTakeFirstOrThrow();
  assert.equal(numUpdatedRows, 2n);
  assert.deepEqual(await db.deleteFrom('mail_links').where('id', '=', 'b').returning('email').execute(), [{ email: 'two@example.com' }]);
  await assert.rejects(db.insertInto('mail_links').values(link('a')).execute(), /UNIQUE constraint failed/);
  await assert.rejects(sql`select 1 from nowhere`.execute(db), /no such table/);
});

test('a transaction is written whole or not at all', async () => {
  await db.transaction().execute((trx) => trx.insertInto('mail_links').values(link('whole')).execute());
  const failing = db.transaction().execute(async (trx) => {
    await trx.insertInto('mail_links').values(link('half')).execute();
    throw new Error('after one of two');
  });
  await assert.rejects(failing, /after one of two/);
  assert.deepEqual(await links(), ['a', 'whole']);
});

test('the rest of a transaction whose connection is gone is not written by itself', async () => {
  const broken = db.transaction().execute(async (trx) => {
    await trx.insertInto('mail_links').values(link('before')).execute();
    // As a disk that fills up does, or the end of the thread: SQLite has taken the transaction back.
    await sql`rollback`.execute(trx);
    await trx.insertInto('mail_links').values(link('after')).execute();
  });
  await assert.rejects(broken, (error) => error instanceof StoreUnavailable);
  assert.deepEqual(await links(), ['a', 'whole']);
});

test('this thread goes on while another connection holds the write lock', async () => {
  const other = openSqlite(sqlitePath(target));
  other.exec('begin immediate');
  let written = false;
  const writing = db
    .insertInto('mail_links')
    .values(link('waited'))
    .execute()
    .then(() => {
      written = true;
    });
  // A statement that held this thread would not let it get so far, for the lock is given up below.
  for (let turns = 0; turns < 100; turns++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(written, false);
  other.exec('commit');
  other.close();
  await writing;
  assert.deepEqual(await links(), ['a', 'waited', 'whole']);
});

test('closing leaves no log behind', async () => {
  const one = connectFromAnsweringThread(target);
  await one.insertInto('mail_links').values(link('last')).execute();
  await db.destroy();
  await one.destroy();
  assert.equal(existsSync(`${sqlitePath(target)}-wal`), false);
  db = connectFromAnsweringThread(target);
});
