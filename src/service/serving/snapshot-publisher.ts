import type { ImageKind } from '../../engine/image.ts';
import type { RepeatedWork } from '../every.ts';
import type { DataMessage, Publish, SharedImage } from './data-state.ts';
import { repeat } from './repeat.ts';

/** How often a store that did not take an image is tried again, and is asked whether the publication still stands. */
const CONFIRM_MS = 10_000;

/** The published images of one kind. */
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
 * Sends images to the other nodes. Only the newest image of a kind is worth sending. A pointer that went back behind the publication (a second publisher wrote
 * at the same time, or an old one was put back) is refused by the other nodes, so the newest image is then published again.
 */
export class SnapshotPublisher {
  readonly #stores: Readonly<Record<ImageKind, ImagePublication>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, SharedImage | Uint8Array>();
  /** Last publication; the same memory that this node answers from. */
  readonly #published = new Map<ImageKind, SharedImage | Uint8Array>();
  readonly #turns: RepeatedWork;

  /** @param packAssistants the prefix lists of AI assistants as they are on this node now */
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

  /** Takes parts of a message for other nodes; everything else is for this node alone. */
  publish(message: DataMessage): void {
    if (message.type === 'geo' || message.type === 'evidence') this.#send(message.type, message.image);
    if (message.type === 'network-lists') this.#send('assistants', this.#packAssistants());
  }

  /** Lets messages under way arrive. */
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
      // A newer one may have come meanwhile.
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
