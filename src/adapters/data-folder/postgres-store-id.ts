import { checkPostgres } from '../database/migrate.ts';
import { RECORDS, RECORDS_PLACE } from '../database/migrations/index.ts';
import { withBulkClient } from '../database/open-database.ts';
import { EVIDENCE_PLACE, EVIDENCE_TABLES } from '../history/postgres/schema.ts';
import { PHONE_TABLES } from '../phone-db/phone-database.ts';
import { PHONE_PLACE } from '../phone-db/postgres-phone-database.ts';

/**
 * Returns the id of the records, or undefined where their tables are not there. Changes nothing.
 * @throws Fault where another release made tables, or the database cannot be reached
 */
export const postgresStoreId = (databaseUrl: string): Promise<string | undefined> =>
  withBulkClient(databaseUrl, async (client) => {
    await checkPostgres(client, RECORDS.postgres, RECORDS_PLACE);
    await checkPostgres(client, EVIDENCE_TABLES, EVIDENCE_PLACE);
    await checkPostgres(client, PHONE_TABLES, PHONE_PLACE);
    const { rows } = await client.query<{ made: boolean }>("select to_regclass('store_identity') is not null as made");
    if (rows[0]?.made !== true) return undefined;
    return (await client.query<{ id: string }>('select store_id as id from store_identity')).rows[0]?.id;
  });
