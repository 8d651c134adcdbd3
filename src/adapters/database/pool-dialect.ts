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

/**
 * Kysely's PostgreSQL dialect over our pool. Every statement throws StoreUnavailable if the server cannot be
 * asked.
 */
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
  /** The pool hands a connection out many times; it is wrapped once. */
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
