import type { Kysely } from 'kysely';
import {
  type CollectionCounts,
  CollectionTally,
  type Heartbeat,
} from '../../core/collection/tally/collection-tally.ts';
import type { NoteTaken } from '../../service/intake/accept-captures.ts';
import type { Clock } from '../../service/ports.ts';
import { BULK_DEADLINE } from '../database/keep-deadline.ts';
import type { Database } from '../database/tables.ts';
import { createLogger, type Logger } from '../system/create-logger.ts';
import type { HistoryTarget } from './open-history.ts';

const WRITE_EVERY_MS = 2000;
const WAITING_MAX = 30;

/** Counts the intake for the operator page, written every two seconds. Evidence does not depend on it. */
export class CollectionCountsWriter {
  readonly #target: HistoryTarget;
  readonly #clock: Clock;
  readonly #prepared: boolean;
  readonly #log: Logger;
  readonly #tally = new CollectionTally();
  #waiting: CollectionCounts[] = [];
  #db: Kysely<Database> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /**
   * @param prepared the start of this process made the tables. Missing ones are not made again: over empty
   * tables a service would call every key unknown instead of asking its caller to retry
   */
  constructor(target: HistoryTarget, clock: Clock, prepared: boolean) {
    this.#target = target;
    this.#clock = clock;
    this.#prepared = prepared;
    this.#log = createLogger(target.logLevel ?? 'warn');
  }

  readonly note: NoteTaken = ({ source, batch, defaultAt }, refused) => {
    this.#tally.add(source.id, batch, defaultAt, this.#clock.now(), refused);
    this.#writeSoon();
  };

  noteHeartbeat(heartbeat: Heartbeat): void {
    this.#tally.addHeartbeat(heartbeat);
    this.#writeSoon();
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, WRITE_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
    await this.#db?.destroy();
  }

  async #write(): Promise<void> {
    if (!this.#tally.isEmpty) this.#waiting.push(this.#tally.take());
    this.#waiting = this.#waiting.slice(-WAITING_MAX);
    if (this.#waiting.length === 0) return;
    try {
      const { connectDatabase, openDatabase } = await import('../database/open-database.ts');
      const { SqlCollectionStore } = await import('../collection/sql-collection-store.ts');
      const { dataDir, databaseUrl } = this.#target;
      const target = { dataDir, databaseUrl };
      this.#db ??= this.#prepared ? connectDatabase(target, BULK_DEADLINE) : await openDatabase(target);
      const counts = new SqlCollectionStore(this.#db);
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        await counts.add(first);
        this.#waiting.shift();
      }
    } catch (error) {
      this.#log.warn(
        { error },
        'counts of own collection cannot be written; the operator page shows less, evidence is not touched',
      );
    }
  }
}
