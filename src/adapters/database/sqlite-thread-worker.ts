/** Thread behind SqliteThreadDialect: one connection, which answers one statement after another and may wait for the lock and the disk. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '../system/worker-calls.ts';
import { type KeptStatement, keptStatements } from './kept-statements.ts';
import { openSqlite } from './open-sqlite.ts';
import { sqliteCode } from './sqlite-faults.ts';
import type { ThreadAnswer, ThreadQuestion } from './sqlite-thread-dialect.ts';

/** Longer than any transaction of ours, shorter than a caller's patience. */
const BUSY_MS = 10_000;
const SQLITE_IOERR = 10;

interface Opened {
  readonly database: DatabaseSync;
  readonly prepared: (sql: string) => KeptStatement;
}

let opened: Opened | undefined;

function open(): Opened {
  const database = openSqlite((workerData as { readonly path: string }).path);
  database.exec(`pragma busy_timeout = ${BUSY_MS}`);
  return { database, prepared: keptStatements(database) };
}

function answer(question: ThreadQuestion): ThreadAnswer {
  if (question === 'close') {
    opened?.database.close();
    opened = undefined;
    return { rows: [], begun: false };
  }
  try {
    opened ??= open();
    const { database, prepared } = opened;
    if (database.isTransaction !== question.begun)
      return { fault: 'the transaction ended with the thread it was begun in', errcode: SQLITE_IOERR, begun: false };
    const { statement, reader } = prepared(question.sql);
    const values = question.parameters as SQLInputValue[];
    // Rows come without a prototype; they have one again when they arrive.
    if (reader) return { rows: statement.all(...values), begun: database.isTransaction };
    return { rows: [], ...statement.run(...values), begun: database.isTransaction };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error), errcode: sqliteCode(error), begun: opened?.database.isTransaction ?? false };
  }
}

answerCalls(answer);
