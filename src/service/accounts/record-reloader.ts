import { setTimeout } from 'node:timers/promises';
import type { ChangeListener, RecordChanges, SeenChange } from './change-feed.ts';

const RETRY_MS = 300;

export class RecordReloader {
  readonly #reload: ChangeListener;
  readonly #onFault: (error: unknown) => void;
  readonly #retryMs: number;
  #waiting: RecordChanges = [];
  #running: Promise<void> | undefined;
  #closed = false;

  /** @param onFault called with the first error of each run of failures */
  constructor(reload: ChangeListener, onFault: (error: unknown) => void, retryMs = RETRY_MS) {
    this.#reload = reload;
    this.#onFault = onFault;
    this.#retryMs = retryMs;
  }

  take(changes: RecordChanges): Promise<void> {
    this.#waiting = joined(this.#waiting, changes);
    this.#running ??= this.#run();
    return this.#running;
  }

  close(): void {
    this.#closed = true;
  }

  async #run(): Promise<void> {
    let failing = false;
    do {
      const changes = this.#waiting;
      this.#waiting = [];
      try {
        await this.#reload(changes);
        failing = false;
      } catch (error) {
        if (!failing) this.#onFault(error);
        failing = true;
        // The caches hold nothing stale meanwhile: they forget before they read, and a caller whose key
        // cannot be read is asked to retry.
        this.#waiting = 'everything';
        if (!this.#closed) await setTimeout(this.#retryMs);
      }
    } while (this.#waiting.length > 0 && !this.#closed);
    this.#running = undefined;
  }
}

const joined = (before: RecordChanges, more: RecordChanges): RecordChanges =>
  before === 'everything' || more === 'everything'
    ? 'everything'
    : ([...before, ...more] satisfies readonly SeenChange[]);
