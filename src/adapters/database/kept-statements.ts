import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Recent } from '../../core/kit/recent.ts';

export interface KeptStatement {
  readonly statement: StatementSync;
  readonly reader: boolean;
}

/** Ours are a few dozen; queries with lists of values add variants. */
const MAX_STATEMENTS = 256;

/**
 * Prepares each text once. The garbage collector does not see SQLite's memory, so one statement per query
 * would pile up.
 */
export function keptStatements(database: DatabaseSync): (sql: string) => KeptStatement {
  const kept = new Recent<string, KeptStatement>(MAX_STATEMENTS);
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const made = { statement, reader: statement.columns().length > 0 };
    kept.set(sql, made);
    return made;
  };
}
