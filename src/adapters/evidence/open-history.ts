import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { DERIVATION_RULES } from '../../core/collection/derive/derivation-rules.ts';
import type { CollectionFacts } from '../../core/collection/tally/collection-facts.ts';
import type { HistoryStore } from '../../service/ports.ts';
import { BULK_WORK, CALLER_WORK } from '../database/keep-deadline.ts';

/** Where evidence is kept: the part of Config that says so. */
export interface HistoryTarget {
  readonly dataDir: string;
  /** postgres://…, one store for all nodes; undefined: `evidence.db` in the data folder. */
  readonly databaseUrl?: string | undefined;
  readonly logLevel?: Config['logLevel'] | undefined;
}

/** Connections a thread may have open to the evidence store; half a dozen threads a node share PostgreSQL's connections with the other nodes. */
const CONNECTIONS = 3;

export interface HistoryUse {
  /** Callers wait for the result: a store over the network that falls silent is given up within three seconds. Without it bulk work is given more. */
  readonly forCallers?: boolean;
  /** Network data by which captures are derived when others are accepted; left out: there is none, and nothing is derived that needs some. */
  readonly facts?: () => CollectionFacts | undefined;
  /** Heard when a store over the network goes down while nothing is asked of it. */
  readonly onLost?: () => void;
}

/** Only the code of the store in use is loaded: every thread opens one, and a start waits for them. */
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
    work: forCallers ? CALLER_WORK : BULK_WORK,
    ...(onLost && { onLost }),
  });
}
