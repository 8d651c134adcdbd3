import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Database } from './tables.ts';

type Handle = Kysely<Database> | Transaction<Database>;

export const rowsOf = async <Row>(db: Handle, statement: RawBuilder<Row>): Promise<readonly Row[]> =>
  (await statement.execute(db)).rows;

export const firstOf = async <Row>(db: Handle, statement: RawBuilder<Row>): Promise<Row | undefined> =>
  (await statement.execute(db)).rows[0];

export const changedBy = async (db: Handle, statement: RawBuilder<unknown>): Promise<number> =>
  Number((await statement.execute(db)).numAffectedRows ?? 0);

export abstract class SqlStore {
  protected readonly db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.db = db;
  }

  protected transaction<Result>(work: (trx: Transaction<Database>) => Promise<Result>): Promise<Result> {
    return this.db.transaction().execute(work);
  }
}
