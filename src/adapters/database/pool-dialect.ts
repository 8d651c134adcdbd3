import {
  type AbortableOperationOptions,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  PostgresDriver,
} from 'kysely';
import type { Pool } from 'pg';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { isPostgresUnavailable } from './postgres-unavailable.ts';

/** Kysely's PostgreSQL dialect over a pool of ours: a server that cannot be asked is StoreUnavailable, wherever a statement meets it. */
export class PoolDialect extends PostgresDialect {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new TellingDriver({ pool: this.#pool });
  }
}

class TellingDriver extends PostgresDriver {
  /** A connection is handed out many times, and wrapped once. */
  readonly #wrapped = new WeakSet<DatabaseConnection>();

  override async acquireConnection(options?: AbortableOperationOptions): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection(options).catch(tell);
    if (this.#wrapped.has(connection)) return connection;
    this.#wrapped.add(connection);
    const { executeQuery } = connection;
    connection.executeQuery = (query, more) =>
      executeQuery.call(connection, query, more).catch(tell) as ReturnType<typeof connection.executeQuery<never>>;
    return connection;
  }
}

function tell(error: unknown): never {
  throw isPostgresUnavailable(error) ? new StoreUnavailable(error) : error;
}
