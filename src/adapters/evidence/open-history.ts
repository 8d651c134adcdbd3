import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type CollectionFacts, DERIVATION_RULES } from '../../core/collection/derive/derivation-rules.ts';
import type { HistoryStore } from '../../service/ports.ts';
import { BULK_DEADLINE, CALLER_DEADLINE } from '../database/keep-deadline.ts';

export interface HistoryTarget {
  readonly dataDir: string;
  /** A postgres:// URL names one store for all nodes; undefined means `evidence.db` in the data folder. */
  readonly databaseUrl?: string | undefined;
  readonly logLevel?: Config['logLevel'] | undefined;
}

/** A node has half a dozen threads that share PostgreSQL's connections with other nodes. */
const CONNECTIONS = 3;

export interface HistoryUse {
  /**
   * Callers wait for the result, so a silent store over the network is given up within three seconds. Bulk
   * work gets longer.
   */
  readonly forCallers?: boolean;
  readonly facts?: () => CollectionFacts | undefined;
  readonly onLost?: () => void;
}

/** Loads only the code of the store in use, because every thread opens one and a start waits for them. */
export async function openHistory(
  { dataDir, databaseUrl }: HistoryTarget,
  { forCallers = false, facts = () => undefined, onLost }: HistoryUse = {},
): Promise<HistoryStore> {
  const deriveBy = { facts, rules: DERIVATION_RULES };
  if (databaseUrl === undefined)
    return new (await import('../history/sqlite/history.ts')).SqliteHistory(join(dataDir, 'evidence.db'), deriveBy);
  const { PostgresHistory } = await import('../history/postgres/history.ts');
  return new PostgresHistory(databaseUrl, {
    connections: CONNECTIONS,
    deriveBy,
    work: forCallers ? CALLER_DEADLINE : BULK_DEADLINE,
    ...(onLost && { onLost }),
  });
}
