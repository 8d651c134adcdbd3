import { setTimeout } from 'node:timers/promises';
import { openRecordsFile } from './migrations/index.ts';
import type { DatabaseTarget } from './open-database.ts';
import { sqlitePath } from './open-sqlite.ts';
import { isPostgresUnavailable } from './store-faults.ts';

/**
 * Brings the schema up to date and keeps one writing connection open. While it is open, readers find the
 * database and its log.
 */
export async function prepareDatabase(target: DatabaseTarget): Promise<{ close(): Promise<void> }> {
  if (target.databaseUrl === undefined) {
    const database = openRecordsFile(sqlitePath(target));
    return { close: async () => database.close() };
  }
  const { openDatabase } = await import('./open-database.ts');
  const db = await openDatabase(target);
  return { close: () => db.destroy() };
}

const RETRY_MS = 2000;

interface Log {
  readonly warn: (fields: object, text: string) => void;
  readonly error: (fields: object, text: string) => void;
  readonly info: (fields: object, text: string) => void;
}

export async function prepareWhenThere(target: DatabaseTarget, log: Log): Promise<{ close(): Promise<void> }> {
  const closing = new AbortController();
  try {
    return await prepareDatabase(target);
  } catch (error) {
    if (!isPostgresUnavailable((error as Error).cause)) throw error;
    log.warn(
      { error },
      'started without the database of PULSE_DATABASE_URL: callers without a key are answered, keys are refused with 503 until it is there',
    );
  }
  const prepared = retried(target, closing.signal).then(
    (records) => {
      if (records !== undefined) log.info({}, 'the database of PULSE_DATABASE_URL is there; keys are answered');
      return records;
    },
    (error) => void log.error({ error }, 'the database of PULSE_DATABASE_URL cannot be used'),
  );
  return {
    async close() {
      closing.abort();
      await (await prepared)?.close();
    },
  };
}

async function retried(target: DatabaseTarget, closing: AbortSignal): Promise<{ close(): Promise<void> } | undefined> {
  while (!closing.aborted) {
    try {
      return await prepareDatabase(target);
    } catch (error) {
      if (!isPostgresUnavailable((error as Error).cause)) throw error;
      await setTimeout(RETRY_MS, undefined, { signal: closing, ref: false }).catch(() => undefined);
    }
  }
  return undefined;
}
