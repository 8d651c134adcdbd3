import { after, before } from 'node:test';
import { type PostgresServer, startPostgres } from '../../../../test/support/postgres.ts';
import { historyContract } from '../history.contract.ts';
import { PostgresHistory } from './history.ts';

let server: PostgresServer | { readonly skip: string };
before(async () => {
  server = await startPostgres();
});
after(async () => {
  if (!('skip' in server)) await server.dispose();
});

historyContract(
  'PostgreSQL history',
  async () => {
    if ('skip' in server) throw new Error(server.skip);
    const url = await server.createDatabase();
    const store = new PostgresHistory(url);
    return { store, reopen: () => new PostgresHistory(url), dispose: () => store.close() };
  },
  8,
);
