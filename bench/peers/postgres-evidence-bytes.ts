import { Client } from 'pg';

/** Bytes on disk of the evidence in a PostgreSQL database, with indexes. */
export async function postgresEvidenceBytes(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class where relkind = 'r' and relname like 'evidence\\_%'`,
  );
  await client.end();
  return rows[0].bytes;
}
