import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Recent } from '../../core/kit/recent.ts';

export interface KeptStatement {
  readonly statement: StatementSync;
  /** It answers rows. */
  readonly reader: boolean;
}

/** Statements kept at once. Ours are some dozens; lists of values make further texts of some. */
const MAX_STATEMENTS = 256;

/** Prepares each text once: the collector does not see SQLite's memory, and one a query would pile up. */
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
