import { parentPort, type Transferable, Worker } from 'node:worker_threads';

export interface WorkerCallsOptions {
  readonly workerData?: unknown;
  /** Milliseconds without a call after which the thread ends; the next call starts another. Left out: it stays until `close`. */
  readonly idleMs?: number;
  /** What the error says when the thread ends with calls unanswered. */
  readonly ended: string;
}

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls into a worker thread: started when first needed, each call answered by one reply or one error. It does not keep the process alive when nothing is
 * asked of it. The other side is `answerCalls`.
 */
export class WorkerCalls<Request, Reply> {
  readonly #entry: URL;
  readonly #options: WorkerCallsOptions;
  readonly #waiting = new Map<number, Waiting<Reply>>();
  #worker: Worker | undefined;
  #ticket = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(entry: URL, options: WorkerCallsOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  /** False: no thread runs now. */
  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws Error with the message of whatever the thread threw */
  call(request: Request): Promise<Reply> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const ticket = this.#ticket++;
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      worker.postMessage({ ticket, request });
    });
  }

  /** Ends the thread at once; calls under way fail. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { workerData: this.#options.workerData });
    worker.on('message', ({ ticket, reply, error }: { readonly ticket: number; readonly reply: Reply; readonly error?: string }) => {
      const waiting = this.#waiting.get(ticket);
      this.#waiting.delete(ticket);
      if (this.#waiting.size === 0) this.#rest(worker);
      if (error === undefined) waiting?.resolve(reply);
      else waiting?.reject(new Error(error));
    });
    // A thread that dies (out of memory on a monstrous list, say) fails its calls; the next call gets a new one.
    worker.on('error', (error) => this.#abandon(worker, error as Error));
    worker.on('exit', () => this.#abandon(worker, new Error(this.#options.ended)));
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    if (this.#options.idleMs !== undefined) this.#idle = setTimeout(() => void this.close(), this.#options.idleMs).unref();
  }

  #abandon(worker: Worker, error: Error): void {
    if (this.#worker !== undefined && this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/**
 * The thread's side: answers every call with what `answer` returns or throws.
 * @param handOver buffers of a reply that move to the caller instead of being copied
 * @throws Error outside a worker thread
 */
export function answerCalls<Request, Reply>(
  answer: (request: Request) => Reply | Promise<Reply>,
  handOver: (reply: Reply) => readonly Transferable[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error('answerCalls is for worker threads');
  port.on('message', async ({ ticket, request }: { readonly ticket: number; readonly request: Request }) => {
    try {
      const reply = await answer(request);
      port.postMessage({ ticket, reply }, [...handOver(reply)]);
    } catch (error) {
      port.postMessage({ ticket, error: error instanceof Error ? error.message : String(error) });
    }
  });
}
