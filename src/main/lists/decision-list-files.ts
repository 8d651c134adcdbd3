import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import type { DecisionAnswer, DecisionLists, DecisionQuery } from '../../service/lists/decision-lists.ts';
import type { DecisionReply } from './decision-worker.ts';

/** A thread without work ends, and with it its images. */
const IDLE_MS = 120_000;

/** Decisions from a thread that lives while bouncers ask; its answers are files in the data folder. */
export class DecisionListFiles implements DecisionLists {
  /** The state told to a client is kept before its next question is answered. */
  readonly #keeping = new Map<string, Promise<void>>();
  readonly #calls: WorkerCalls<DecisionQuery, DecisionReply>;

  constructor({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>) {
    this.#calls = new WorkerCalls(new URL('./decision-worker.ts', import.meta.url), {
      workerData: { dataDir, databaseUrl },
      idleMs: IDLE_MS,
      ended: 'the thread of decisions ended',
    });
  }

  async ask(query: DecisionQuery): Promise<DecisionAnswer> {
    await this.#keeping.get(query.key);
    const { path, told, leftOut } = await this.#calls.call(query);
    const { size } = await stat(path);
    return {
      content: createReadStream(path),
      bytes: size,
      leftOut,
      close: async (isDelivered) => {
        if (told !== undefined) {
          const keeping = isDelivered ? rename(told.next, told.path) : rm(told.next, { force: true });
          this.#keeping.set(
            query.key,
            keeping.catch(() => {}),
          );
          await keeping.finally(() => this.#keeping.delete(query.key));
        }
        await rm(path, { force: true });
      },
    };
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}
