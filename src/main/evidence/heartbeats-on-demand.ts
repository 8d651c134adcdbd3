import type { Kysely } from 'kysely';
import type { DatabaseTarget } from '../../adapters/database/open-database.ts';
import type { Database } from '../../adapters/database/tables.ts';
import type { Heartbeat } from '../../core/collection/heartbeat.ts';

/** Heartbeats of sensors out of the records, which are opened when they are first asked for. */
export class HeartbeatsOnDemand {
  readonly #target: DatabaseTarget;
  #db: Kysely<Database> | undefined;

  constructor({ dataDir, databaseUrl }: DatabaseTarget) {
    this.#target = { dataDir, databaseUrl };
  }

  /** The one seen last first. @throws StoreUnavailable while the records cannot be read */
  async heartbeats(): Promise<readonly Heartbeat[]> {
    const { connectDatabase } = await import('../../adapters/database/open-database.ts');
    const { SqlCollectionStore } = await import('../../adapters/collection/sql-collection-store.ts');
    this.#db ??= connectDatabase(this.#target);
    return new SqlCollectionStore(this.#db).heartbeats();
  }

  async close(): Promise<void> {
    await this.#db?.destroy();
  }
}
