import type { PublishedImages } from '../../adapters/snapshots/published-images.ts';
import type { ImageKind } from '../../engine/image.ts';
import type { DataMessage } from '../threads/data-state.ts';

/** A store that did not take an image is tried again after this long. */
const RETRY_MS = 10_000;

interface PublisherLog {
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** Sends images to the other nodes. Only the newest image of a kind is worth sending. */
export class SnapshotPublisher {
  readonly #stores: Readonly<Record<ImageKind, PublishedImages>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, Uint8Array>();
  #sending: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param packAssistants the prefix lists of AI assistants as they are on this node now */
  constructor(stores: Readonly<Record<ImageKind, PublishedImages>>, packAssistants: () => Uint8Array, log: PublisherLog) {
    this.#stores = stores;
    this.#packAssistants = packAssistants;
    this.#log = log;
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
    await this.#sending;
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
