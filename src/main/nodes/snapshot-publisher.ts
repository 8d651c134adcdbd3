import type { PublishedImages } from '../../adapters/snapshots/published-images.ts';
import type { ImageKind } from '../../engine/image.ts';
import type { DataMessage } from '../threads/data-state.ts';

/** A store that did not take an image is tried again after this long. */
const RETRY_MS = 10_000;
/** How often it is asked whether what was published still stands. */
const CONFIRM_MS = 10_000;

interface PublisherLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/**
 * Sends images to the other nodes. Only the newest image of a kind is worth sending. A pointer that went back behind what was published (a second publisher wrote
 * at the same time, or an old one was put back) is refused by the other nodes, so the newest image is then published again.
 */
export class SnapshotPublisher {
  readonly #stores: Readonly<Record<ImageKind, PublishedImages>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, Uint8Array>();
  /** What was published last; the same memory that this node answers from. */
  readonly #published = new Map<ImageKind, Uint8Array>();
  readonly #confirm: NodeJS.Timeout;
  #confirming: Promise<void> = Promise.resolve();
  #sending: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param packAssistants the prefix lists of AI assistants as they are on this node now */
  constructor(stores: Readonly<Record<ImageKind, PublishedImages>>, packAssistants: () => Uint8Array, log: PublisherLog, confirmMs = CONFIRM_MS) {
    this.#stores = stores;
    this.#packAssistants = packAssistants;
    this.#log = log;
    this.#confirm = setInterval(() => {
      this.#confirming = this.#confirming.then(() => this.#confirmAll());
    }, confirmMs).unref();
  }

  /** Takes what other nodes need of a message; everything else is for this node alone. */
  publish(message: DataMessage): void {
    if (message.type === 'geo' || message.type === 'evidence') this.#send(message.type, new Uint8Array(message.image));
    if (message.type === 'network-lists') this.#send('assistants', this.#packAssistants());
  }

  /** Lets what is being sent arrive. */
  async stop(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#confirm);
    await this.#confirming;
    await this.#sending;
  }

  async #confirmAll(): Promise<void> {
    for (const [kind, image] of this.#published) {
      if (this.#closed || this.#sending !== undefined || this.#waiting.has(kind)) return;
      try {
        if (!(await this.#stores[kind].steppedBack())) continue;
        this.#log.warn({ kind }, 'the pointer of published images went back behind what was published; the newest image is published again');
        this.#send(kind, image);
      } catch (error) {
        this.#log.error({ err: error, kind }, 'it cannot be read now what is published; asked again');
      }
    }
  }

  #send(kind: ImageKind, image: Uint8Array): void {
    this.#waiting.set(kind, image);
    this.#drain();
  }

  #drain(): void {
    if (this.#closed) return;
    this.#sending ??= this.#sendWaiting().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.size > 0 && this.#retry === undefined) this.#drain();
    });
  }

  async #sendWaiting(): Promise<void> {
    for (const [kind, image] of this.#waiting) {
      this.#waiting.delete(kind);
      try {
        const file = await this.#stores[kind].publish(image);
        this.#published.set(kind, image);
        this.#log.info({ file, bytes: image.byteLength }, 'published an image for other nodes');
      } catch (error) {
        this.#log.error({ err: error, kind }, 'an image could not be published; other nodes keep the one before');
        if (!this.#waiting.has(kind)) this.#waiting.set(kind, image);
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#drain();
        }, RETRY_MS).unref();
        return;
      }
    }
  }
}
