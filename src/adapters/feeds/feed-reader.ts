import { Worker } from 'node:worker_threads';
import type { Feed } from '../../core/feeds/feed.ts';
import type { FeedReader, FeedReading, Validators } from '../../service/feed-ports.ts';
import { KeptBodies } from './kept-bodies.ts';
import type { ReadRequest } from './read-feed.ts';

/** A worker thread that reads feeds; started when first needed, ended by `close`. */
export class ReadWorker {
  #worker: Worker | undefined;
  #ticket = 0;
  readonly #waiting = new Map<number, { readonly resolve: (reading: FeedReading) => void; readonly reject: (error: Error) => void }>();

  read(request: ReadRequest): Promise<FeedReading> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const ticket = this.#ticket++;
    worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(ticket, { resolve, reject });
      worker.postMessage({ ticket, request });
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./read-worker.ts', import.meta.url));
    worker.on('message', ({ ticket, reading, error }: { ticket: number; reading?: FeedReading; error?: string }) => {
      const waiting = this.#waiting.get(ticket);
      this.#waiting.delete(ticket);
      if (this.#waiting.size === 0) worker.unref();
      if (reading !== undefined) waiting?.resolve(reading);
      else waiting?.reject(new Error(error));
    });
    // A parser that dies (out of memory on a monstrous list) fails its reading; the next one gets a new thread.
    worker.on('error', (error) => this.#abandon(error as Error));
    worker.on('exit', () => this.#abandon(new Error('the reading thread ended')));
    return worker;
  }

  #abandon(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

/** Reads feeds from their publishers, or from a mirror that serves them under their file names. */
export function webReader(worker: Pick<ReadWorker, 'read'>, bodies: string, mirror?: string): FeedReader {
  return {
    read: (feed: Feed, validators: Validators | undefined) => worker.read({ from: 'web', feed, urls: addressesOf(feed, mirror), validators, bodies }),
    keep: (feed: Feed) => new KeptBodies(bodies).accept(feed.id),
  };
}

/** Where a feed is asked for. A mirror is asked for `<file>` and `<file>.gz`, for each of the feed's file names in order. */
export function addressesOf(feed: Feed, mirror: string | undefined): readonly string[] {
  if (mirror === undefined) return feed.url === '' ? [] : [feed.url];
  const base = mirror.replace(/\/*$/, '/');
  return feed.files.flatMap((file) => [new URL(file, base).href, new URL(`${file}.gz`, base).href]);
}

/** Reads one file as a feed. */
export const fileReader = (worker: Pick<ReadWorker, 'read'>, path: string): FeedReader => ({
  read: (feed) => worker.read({ from: 'file', feed, path }),
  keep: () => {},
});
