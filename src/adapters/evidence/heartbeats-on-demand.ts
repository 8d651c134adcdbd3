import type { Kysely } from 'kysely';
import type { Heartbeat } from '../../core/collection/heartbeat.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import type { Database } from '../database/tables.ts';

/** Heartbeats of sensors out of the records, which are opened when they are first asked for. */
export class HeartbeatsOnDemand {
  readonly #target: DatabaseTarget;
  #db: Kysely<Database> | undefined;

  constructor({ dataDir, databaseUrl }: DatabaseTarget) {
    this.#target = { dataDir, databaseUrl };
  }

  /** The one seen last first. @throws StoreUnavailable while the records cannot be read */
  async heartbeats(): Promise<readonly Heartbeat[]> {
    const { connectDatabase } = await import('../database/open-database.ts');
    const { SqlCollectionStore } = await import('../collection/sql-collection-store.ts');
    this.#db ??= connectDatabase(this.#target);
    return new SqlCollectionStore(this.#db).heartbeats();
  }

  async close(): Promise<void> {
    await this.#db?.destroy();
  }
}
