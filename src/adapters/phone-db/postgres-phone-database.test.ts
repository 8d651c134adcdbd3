import { sharedPostgres } from '../../../test/support/postgres.ts';
import { DatabaseLibraryWriter } from './database-library-writer.ts';
import { DatabasePhoneLibraries } from './database-phone-libraries.ts';
import { numberKey } from './number-key.ts';
import { phoneDbContract } from './phone-db.contract.ts';
import { PostgresPhoneDatabase } from './postgres-phone-database.ts';

const key = numberKey(new Uint8Array(32).fill(7));

phoneDbContract('postgres', async () => {
  const started = await sharedPostgres();
  if ('skip' in started) return started;
  let stopped = false;
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
    async close() {
      await writer.close();
      if (stopped) await started.start();
    },
  };
});
