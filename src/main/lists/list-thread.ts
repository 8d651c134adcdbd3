import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import type { DecisionAnswer, DecisionLists, DecisionQuery } from '../../service/lists/decision-lists.ts';
import type { ListFile, ListFiles, ListQuery } from '../../service/lists/list-files.ts';
import { Problem } from '../../service/problem.ts';
import type { DecisionReply } from './decision-answers.ts';
import type { ListReply } from './list-answers.ts';
import type { ListRequest, ListWorkerReply } from './list-worker.ts';

/** A thread without work ends, and with it its images. */
const IDLE_MS = 120_000;
/** A client that takes longer for an answer and asks again meanwhile gets the same answer once more. */
const DELIVERED_WITHIN_MS = 30_000;
/** An answer that takes longer is refused: a connection on which nothing moves for a minute is closed. */
const ANSWERED_WITHIN_MS = 40_000;

/**
 * Makes lists and decisions in a thread that lives while clients ask; its answers are files in the data
 * folder.
 */
export class ListThread implements DecisionLists, ListFiles {
  /** A client may ask again before this side knows that it has its last answer. */
  readonly #sending = new Map<string, Promise<void>>();
  readonly #calls: WorkerCalls<ListRequest, ListWorkerReply>;

  readonly #withinMs: number;

  constructor(
    { dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>,
    { withinMs = ANSWERED_WITHIN_MS }: { readonly withinMs?: number } = {},
  ) {
    this.#withinMs = withinMs;
    this.#calls = new WorkerCalls(new URL('./list-worker.ts', import.meta.url), {
      workerData: { dataDir, databaseUrl },
      idleMs: IDLE_MS,
      ended: 'the thread of lists ended',
    });
  }

  async ask(query: DecisionQuery): Promise<DecisionAnswer> {
    const sending = this.#sending.get(query.keyId);
    if (sending) await Promise.race([sending, setTimeout(DELIVERED_WITHIN_MS, undefined, { ref: false })]);
    const { path, told, leftOut } = await this.#inTime(
      this.#calls.call({ decisions: query }) as Promise<DecisionReply>,
    );
    const { size } = await stat(path);
    const sent = Promise.withResolvers<void>();
    if (told !== undefined) this.#sending.set(query.keyId, sent.promise);
    return {
      content: createReadStream(path),
      bytes: size,
      leftOut,
      close: async (isDelivered) => {
        try {
          if (told !== undefined) await (isDelivered ? rename(told.next, told.path) : rm(told.next, { force: true }));
        } finally {
          sent.resolve();
          if (this.#sending.get(query.keyId) === sent.promise) this.#sending.delete(query.keyId);
        }
        await rm(path, { force: true });
      },
    };
  }

  async find(query: ListQuery): Promise<ListFile> {
    const { path, ...list } = await this.#inTime(this.#calls.call({ list: query }) as Promise<ListReply>);
    return {
      ...list,
      open: async () => {
        const file = await open(path);
        const { size } = await file.stat();
        return { content: file.createReadStream(), bytes: size };
      },
    };
  }

  /** What comes late is made all the same, for the next question. @throws Problem not_ready */
  #inTime<Reply>(reply: Promise<Reply>): Promise<Reply> {
    const late = async (): Promise<never> => {
      await setTimeout(this.#withinMs, undefined, { ref: false });
      throw new Problem('not_ready', {
        message: 'The list is being made. Ask again soon.',
        extras: { retry_after: 20 },
      });
    };
    return Promise.race([reply, late()]);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}
