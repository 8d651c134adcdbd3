import type { ImageStore } from '../../adapters/snapshots/image-file.ts';
import type { EvidenceDelta } from '../../engine/evidence/evidence-delta.ts';
import type { ImageKind } from '../../engine/image.ts';
import type { Publisher } from '../background-job.ts';
import type { PhoneShared } from '../phone/open-phone.ts';

/** A store that did not take an image is tried again after this long. */
const RETRY_MS = 10_000;

interface PublisherLog {
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/** Hands everything on to this node's own threads, and images to the other nodes as well. Only the newest image of a kind is worth sending. */
export class SnapshotPublisher implements Publisher {
  readonly #inner: Publisher;
  readonly #stores: Readonly<Record<ImageKind, ImageStore>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, Uint8Array>();
  #sending: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param packAssistants the prefix lists of AI assistants as they are on this node now */
  constructor(inner: Publisher, stores: Readonly<Record<ImageKind, ImageStore>>, packAssistants: () => Uint8Array, log: PublisherLog) {
    this.#inner = inner;
    this.#stores = stores;
    this.#packAssistants = packAssistants;
    this.#log = log;
  }

  geo(image: SharedArrayBuffer): void {
    this.#inner.geo(image);
    this.#send('geo', new Uint8Array(image));
  }

  evidence(image: SharedArrayBuffer, included: number, restart: boolean): void {
    this.#inner.evidence(image, included, restart);
    this.#send('evidence', new Uint8Array(image));
  }

  delta(delta: EvidenceDelta): void {
    this.#inner.delta(delta);
  }

  degraded(who: 'feeds' | 'evidence', degraded: boolean): void {
    this.#inner.degraded(who, degraded);
  }

  networkLists(): void {
    this.#inner.networkLists();
    this.#send('assistants', this.#packAssistants());
  }

  assistants(lists: SharedArrayBuffer): void {
    this.#inner.assistants(lists);
  }

  phone(libraries: PhoneShared): void {
    this.#inner.phone(libraries);
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
