import type { ImageKind } from '../../engine/image.ts';
import type { RepeatedWork } from '../every.ts';
import type { DataMessage, Publish, SharedImage } from './data-state.ts';
import { repeat } from './repeat.ts';

const CONFIRM_MS = 10_000;

export interface ImagePublication {
  publish(image: SharedImage | Uint8Array): Promise<string>;
  steppedBack(): Promise<boolean>;
}

interface PublisherLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/**
 * Sends the newest image of each kind to the other nodes. A second publisher or a restored old pointer can
 * step behind it; other nodes refuse such a pointer, so the newest image is published again.
 */
export class SnapshotPublisher {
  readonly #stores: Readonly<Record<ImageKind, ImagePublication>>;
  readonly #log: PublisherLog;
  readonly #packAssistants: () => Uint8Array;
  readonly #waiting = new Map<ImageKind, SharedImage | Uint8Array>();
  readonly #published = new Map<ImageKind, SharedImage | Uint8Array>();
  readonly #turns: RepeatedWork;

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

  publish(message: DataMessage): void {
    if (message.type === 'geo' || message.type === 'evidence') this.#send(message.type, message.image);
    if (message.type === 'network-lists') this.#send('assistants', this.#packAssistants());
  }

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
