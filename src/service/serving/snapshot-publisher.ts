import type { ImageKind } from '../../engine/image.ts';
import type { RepeatedWork } from '../every.ts';
import type { DataMessage, Publish, SharedImage } from './data-state.ts';
import { repeat } from './repeat.ts';

/** Interval at which a failed publication is retried, and a successful one is confirmed. */
const CONFIRM_MS = 10_000;

export interface ImagePublication {
  /** @returns the name of the file */
  publish(image: SharedImage | Uint8Array): Promise<string>;
  /** Whether the pointer went back behind the last publication. */
  steppedBack(): Promise<boolean>;
}

interface PublisherLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/**
 * Sends the newest image of each kind to the other nodes. A pointer can fall behind it when a second
 * publisher writes at the same time or an old pointer is restored. Other nodes refuse such a pointer, so the
 * newest image is published again.
 */
export class SnapshotPublisher {
  readonly #stores: Readonly<Record<ImageKind, ImagePublication>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, SharedImage | Uint8Array>();
  /** Last publication; the same memory that this node answers from. */
  readonly #published = new Map<ImageKind, SharedImage | Uint8Array>();
  readonly #turns: RepeatedWork;

  /** @param packAssistants returns the present prefix lists of AI assistants */
  constructor(
    stores: Readonly<Record<ImageKind, ImagePublication>>,
    packAssistants: () => Uint8Array,
    control: { readonly log: PublisherLog; readonly publish: Publish },
    confirmMs = CONFIRM_MS,
  ) {
    this.#stores = stores;
    this.#packAssistants = packAssistants;
    this.#log = control.log;
    this.#turns = repeat(control, 'publishing of images', confirmMs, () => this.#turn(), {
      meanwhile: 'other nodes keep the image before',
    });
  }

  /** Sends the parts of a message that concern other nodes. */
  publish(message: DataMessage): void {
    if (message.type === 'geo' || message.type === 'evidence') this.#send(message.type, message.image);
    if (message.type === 'network-lists') this.#send('assistants', this.#packAssistants());
  }

  /** Waits for publications under way. */
  stop(): Promise<void> {
    return this.#turns.stop();
  }

  #send(kind: ImageKind, image: SharedImage | Uint8Array): void {
    this.#waiting.set(kind, image);
    void this.#turns.now();
  }

  async #turn(): Promise<void> {
    for (const [kind, image] of this.#waiting) {
      const file = await this.#stores[kind].publish(image);
      this.#published.set(kind, image);
      // A newer image may have arrived meanwhile.
      if (this.#waiting.get(kind) === image) this.#waiting.delete(kind);
      this.#log.info({ file }, 'published an image for other nodes');
    }
    for (const [kind, image] of this.#published) {
      if (this.#waiting.has(kind) || !(await this.#stores[kind].steppedBack())) continue;
      this.#log.warn(
        { kind },
        'the pointer of published images went back behind what was published; the newest image is published again',
      );
      if (!this.#waiting.has(kind)) this.#send(kind, image);
    }
  }
}
