import { once } from 'node:events';
import { parentPort, type Transferable, Worker } from 'node:worker_threads';
import { Fault, type Said, sentenceOf } from '../../core/texts/said.ts';

export interface WorkerCallsOptions {
  readonly workerData?: unknown;
  /**
   * The thread ends after this idle time, and the next call starts another. By default it stays until
   * `close`.
   */
  readonly idleMs?: number;
  readonly ended: string;
}

export interface CallOptions<Progress> {
  readonly transfer?: readonly Transferable[];
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

interface Waiting<Reply, Progress> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

type ToWorker<Request> =
  | { readonly ticket: number; readonly request: Request }
  | { readonly ticket: number; readonly abort: true }
  | { readonly exit: true };

interface FromWorker<Reply, Progress> {
  readonly ticket: number;
  readonly reply?: Reply;
  readonly error?: Said;
  readonly progress?: Progress;
}

/**
 * Calls a worker thread, which starts at the first call. Each call gets one reply or one error, after any
 * number of progress reports. The thread does not keep the process alive while no call waits. `answerCalls`
 * is the other side.
 */
export class WorkerCalls<Request, Reply, Progress = never> {
  readonly #entry: URL;
  readonly #options: WorkerCallsOptions;
  readonly #waiting = new Map<number, Waiting<Reply, Progress>>();
  #worker: Worker | undefined;
  #ticket = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(entry: URL, options: WorkerCallsOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  get running(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws Fault with the sentence of the error that the thread threw, or with the reason why it ended */
  call(request: Request, { transfer = [], onProgress, signal }: CallOptions<Progress> = {}): Promise<Reply> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const ticket = this.#ticket++;
    const abort = (): void => worker.postMessage({ ticket, abort: true } satisfies ToWorker<Request>);
    worker.ref();
    return new Promise<Reply>((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject, onProgress });
      worker.postMessage({ ticket, request } satisfies ToWorker<Request>, [...transfer]);
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort);
    }).finally(() => signal?.removeEventListener('abort', abort));
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    if (this.#waiting.size > 0) await worker.terminate();
    else {
      // A thread that exits by itself releases its resources of the operating system, such as mapped files.
      const gone = once(worker, 'exit');
      worker.ref();
      worker.postMessage({ exit: true } satisfies ToWorker<Request>);
      await gone;
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { workerData: this.#options.workerData });
    worker.on('message', (message: FromWorker<Reply, Progress>) => {
      const waiting = this.#waiting.get(message.ticket);
      if ('progress' in message) return waiting?.onProgress?.(message.progress!);
      this.#waiting.delete(message.ticket);
      if (this.#waiting.size === 0) this.#rest(worker);
      if (message.error === undefined) waiting?.resolve(message.reply!);
      else waiting?.reject(new Fault(message.error));
    });
    // Calls of a thread that dies, for example of a lack of memory, fail; the next call starts another
    // thread.
    worker.on('error', (error) => this.#abandon(worker, error as Error));
    worker.on('exit', () => this.#abandon(worker, new Error(this.#options.ended)));
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    if (this.#options.idleMs !== undefined)
      this.#idle = setTimeout(() => {
        this.#worker = undefined;
        worker.postMessage({ exit: true } satisfies ToWorker<Request>);
      }, this.#options.idleMs).unref();
  }

  #abandon(worker: Worker, error: Error): void {
    if (this.#worker !== undefined && this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

export interface CallInThread<Progress> {
  report(progress: Progress, transfer?: readonly Transferable[]): void;
  readonly signal: AbortSignal;
}

/** Answers calls in the thread. @param callProvider returns the buffers of a reply that move to the caller */
export function answerCalls<Request, Reply, Progress = never>(
  answer: (request: Request, call: CallInThread<Progress>) => Reply | Promise<Reply>,
  callProvider: (reply: Reply) => readonly Transferable[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error('answerCalls is for worker threads');
  const send = (message: FromWorker<Reply, Progress>, transfer: readonly Transferable[] = []): void =>
    port.postMessage(message, [...transfer]);
  const underWay = new Map<number, AbortController>();
  port.on('message', async (message: ToWorker<Request>) => {
    if ('exit' in message) process.exit();
    if ('abort' in message) return underWay.get(message.ticket)?.abort();
    const { ticket } = message;
    const control = new AbortController();
    underWay.set(ticket, control);
    try {
      const reply = await answer(message.request, {
        report: (progress, transfer) => send({ ticket, progress }, transfer),
        signal: control.signal,
      });
      send({ ticket, reply }, callProvider(reply));
    } catch (error) {
      send({ ticket, error: sentenceOf(error) });
    } finally {
      underWay.delete(ticket);
    }
  });
}
