import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Kysely } from 'kysely';
import { openDatabase } from '../../src/adapters/database/open-database.ts';
import type { Database } from '../../src/adapters/database/tables.ts';
import { sharedPostgres } from './postgres.ts';

export const TECHNOLOGIES = ['SQLite', 'PostgreSQL'] as const;

export interface TestDatabases {
  /** Opens an empty database with all tables, or returns the reason why none can be had here, for `t.skip`. */
  open(
    technology: (typeof TECHNOLOGIES)[number],
  ): Promise<{ readonly db: Kysely<Database> } | { readonly skip: string }>;
}

/**
 * The tests of one file get SQLite in a folder and PostgreSQL in the shared cluster. Both are closed after
 * the tests.
 */
export function testDatabases(): TestDatabases {
  const dir = mkdtempSync(join(tmpdir(), 'pulse-databases-'));
  const opened: Kysely<Database>[] = [];
  after(async () => {
    for (const db of opened) await db.destroy();
    rmSync(dir, { recursive: true });
  });
  const urlOn = async (): Promise<{ readonly databaseUrl: string } | { readonly skip: string }> => {
    const server = await sharedPostgres();
    return 'skip' in server ? server : { databaseUrl: await server.createDatabase() };
  };
  return {
    async open(technology) {
      const target = technology === 'SQLite' ? { databaseUrl: undefined } : await urlOn();
      if ('skip' in target) return target;
      const db = await openDatabase({ dataDir: mkdtempSync(join(dir, 'data-')), ...target });
      opened.push(db);
      return { db };
    },
  };
}
