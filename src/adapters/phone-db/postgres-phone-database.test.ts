import { after } from 'node:test';
import { type PostgresServer, startPostgres } from '../../../test/support/postgres.ts';
import { DatabaseLibraryWriter } from './database-library-writer.ts';
import { DatabasePhoneLibraries } from './database-phone-libraries.ts';
import { numberKey } from './number-key.ts';
import { phoneDbContract } from './phone-db.contract.ts';
import { PostgresPhoneDatabase } from './postgres-phone-database.ts';

const key = numberKey(new Uint8Array(32).fill(7));
let stopped = false;
let server: Promise<PostgresServer | { readonly skip: string }> | undefined;
after(async () => {
  const started = await server;
  if (started !== undefined && !('skip' in started)) await started.dispose();
});

phoneDbContract('postgres', async () => {
  server ??= startPostgres();
  const started = await server;
  if ('skip' in started) return started;
  if (stopped) await started.start();
  stopped = false;
  const url = await started.createDatabase();
  const writerOf = (withKey = key) =>
    new DatabaseLibraryWriter(new PostgresPhoneDatabase(url, { writes: true }), withKey);
  const readerOf = (withKey = key) => new DatabasePhoneLibraries(new PostgresPhoneDatabase(url), withKey);
  const writer = writerOf();
  return {
    writer,
    reader: async () => readerOf(),
    withKey: (other) => ({ reader: readerOf(other), writer: writerOf(other) }),
    async break() {
      stopped = true;
      await started.stop();
    },
    close: () => writer.close(),
  };
});
