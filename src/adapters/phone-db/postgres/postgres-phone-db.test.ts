import { after } from 'node:test';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres.ts';
import { numberKey } from '../number-key.ts';
import { phoneDbContract } from '../phone-db.contract.ts';
import { openPostgresLibraryWriter } from './postgres-library-writer.ts';
import { openPostgresPhoneLibraries } from './postgres-phone-libraries.ts';

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
  const writer = openPostgresLibraryWriter(url, key, 4);
  return {
    writer,
    reader: async () => openPostgresPhoneLibraries(url, key),
    async break() {
      stopped = true;
      await started.stop();
    },
    close: () => writer.close(),
  };
});
