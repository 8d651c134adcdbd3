import { reasonText } from '../../core/texts/said.ts';
import {
  type EvidenceDelta,
  type EvidencePosition,
  NO_POSITION,
  positionOf,
} from '../../engine/evidence/evidence-delta.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import type { ImageKind } from '../../engine/image.ts';
import { divergenceText, EvidenceFollower } from '../compile/evidence-follower.ts';
import { type Clock, type HistoryStore, isDegraded } from '../ports.ts';
import type { Publish, SharedImage } from './data-state.ts';

/**
 * About five times the bound at which the compiling node makes a new image, and 150 MB with a thread's copy.
 */
const MOST_ENTRIES = 1_500_000;

/**
 * Bounds the changes that a node and its threads hold beyond their image. A node that cannot compile stops at
 * the bound; otherwise captures would fill its memory.
 */
export class DeltaBounds {
  readonly #most: number;
  #kept: { readonly sequence: number; readonly entries: number }[] = [];

  constructor(most = MOST_ENTRIES) {
    this.#most = most;
  }

  get full(): boolean {
    return this.#kept.reduce((sum, { entries }) => sum + entries, 0) >= this.#most;
  }

  note({ sequence, length, sources, pools }: EvidenceDelta): void {
    this.#kept.push({ sequence, entries: length + sources.length + pools.length });
  }

  include(sequence: number, restart: boolean): void {
    this.#kept = restart ? [] : this.#kept.filter((one) => one.sequence > sequence);
  }
}

const ASSISTANTS_EVERY = 10;
const LEFT_OUT_EVERY = 3;

const LIMITS = {
  deltaRows: 200_000,
  overlayRows: Number.POSITIVE_INFINITY,
  overlayMs: Number.POSITIVE_INFINITY,
  retryMs: 5000,
};

/** A refused file may have been truncated on its way, so it is read again after this long. */
const RETRY_MS = 15_000;

const REFUSED_POINTER =
  'published images are refused; what was there keeps serving. All nodes need one PULSE_SECRET, and the compiling node this version (docs/scaling.md)';

interface FollowedImages {
  current(): Promise<string | undefined>;
  load(refused: (file: string, error: Error) => void): Promise<FollowedImage | undefined>;
  kept(): Promise<FollowedImage | undefined>;
}

interface FollowedImage {
  readonly file: string;
  readonly image: SharedImage;
}

interface FollowContext {
  readonly images: Readonly<Record<ImageKind, FollowedImages>>;
  readonly isForeign: (error: unknown) => boolean;
  readonly checkAssistants: (lists: SharedArrayBuffer) => void;
  readonly clock: Clock;
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, text: string) => void>;
  readonly publish: Publish;
}

type FollowStore = Pick<HistoryStore, 'changesSince' | 'leftOutAt' | 'close'>;

interface SeenImage {
  readonly current: string;
  readonly used: string | undefined;
  readonly retryAt: number;
}

export class SnapshotFollower {
  readonly #context: FollowContext;
  readonly #store: FollowStore;
  readonly #kept: DeltaBounds;
  #follower: EvidenceFollower;
  readonly #seen = new Map<ImageKind, SeenImage>();
  readonly #reported = new Map<string, string>();
  readonly #foreign = new Set<ImageKind>();
  #evidenceIn = false;
  #hasImage = false;
  #geoWaiting: SharedImage | undefined;
  #sequence = 0;
  #diverged = false;
  #looks = 0;
  serving = false;

  constructor(context: FollowContext, store: FollowStore, kept = new DeltaBounds()) {
    this.#kept = kept;
    this.#context = context;
    this.#store = store;
    this.#follower = this.#follow(NO_POSITION);
  }

  /** Begins with the images of the last run, so that lookups are answered before anything else responds. */
  async beginWithKept(): Promise<void> {
    for (const [kind, use] of [
      ['evidence', (image: SharedImage) => this.#evidence(image)],
      ['geo', (image: SharedImage) => this.#geo(image)],
    ] as const) {
      const kept = await this.#context.images[kind].kept();
      if (kept === undefined) continue;
      use(kept.image);
      this.#seen.set(kind, { current: '', used: kept.file, retryAt: 0 });
      this.#context.log.info({ file: kept.file }, 'took the image of the last run; newer ones replace it');
    }
  }

  async look(): Promise<void> {
    await this.#take('evidence', (image) => this.#evidence(image));
    await this.#take('geo', (image) => this.#geo(image));
    if (this.#looks % LEFT_OUT_EVERY === 0) await this.#leftOut();
    if (this.#looks++ % ASSISTANTS_EVERY === 0) await this.#take('assistants', (image) => this.#assistants(image));
  }

  async poll(): Promise<void> {
    const { clock, publish } = this.#context;
    if (this.#kept.full) {
      publish({ type: 'degraded', by: 'evidence', degraded: true });
      return this.#tell(
        'captures',
        new Error('no new image came for too many captures'),
        'captures are not followed until an image is published; the last view keeps serving',
      );
    }
    const follower = this.#follower;
    await follower.poll(clock.now());
    if (follower !== this.#follower) return;
    this.#noteDiverged(follower.diverged);
    if (!follower.behind) {
      this.#reported.delete('captures');
      this.#reported.delete('store');
    }
    // Everything accepted so far was sent. Where the store cannot say what that is, or is another one, an image
    // is what the other nodes have too.
    if (!follower.behind || (this.#hasImage && (follower.unreadable || follower.diverged))) this.#evidenceIsIn();
    publish({ type: 'degraded', by: 'evidence', degraded: follower.isLate(clock.now()) });
  }

  async #leftOut(): Promise<void> {
    const { clock, publish } = this.#context;
    try {
      const leftOut = await this.#store.leftOutAt(clock.now());
      publish({ type: 'sources', leftOut });
      publish({ type: 'degraded', by: 'feeds', degraded: isDegraded(leftOut) });
      this.#reported.delete('sources');
    } catch (error) {
      this.#tell('sources', error, 'it cannot be read now which sources verdicts lack');
    }
  }

  async close(): Promise<void> {
    await this.#follower.settled();
    await this.#store.close();
  }

  async #take(kind: ImageKind, use: (image: SharedImage) => void): Promise<void> {
    const { log, clock, images, isForeign } = this.#context;
    try {
      const current = await images[kind].current();
      this.#reported.delete(kind);
      this.#noteForeign(kind, false);
      const seen = this.#seen.get(kind);
      if (current === undefined || (current === seen?.current && clock.now() < seen.retryAt)) return;
      const refused = (file: string, error: unknown): void => {
        this.#seen.set(kind, { ...this.#seen.get(kind)!, retryAt: clock.now() + RETRY_MS });
        log.error({ err: error, file }, 'a published image was refused; the one before keeps serving');
      };
      this.#seen.set(kind, { current, used: seen?.used, retryAt: Number.POSITIVE_INFINITY });
      const loaded = await images[kind].load(refused);
      if (loaded === undefined || loaded.file === seen?.used) return;
      try {
        use(loaded.image);
      } catch (error) {
        return refused(loaded.file, error);
      }
      this.#seen.set(kind, { ...this.#seen.get(kind)!, used: loaded.file });
      log.info({ file: loaded.file }, 'took a published image');
    } catch (error) {
      const foreign = isForeign(error);
      if (foreign) this.#noteForeign(kind, true);
      this.#tell(
        kind,
        error,
        foreign ? REFUSED_POINTER : 'published images cannot be read; what was there keeps serving',
      );
    }
  }

  /** A foreign pointer hides a publication, so verdicts are degraded until a valid one returns. */
  #noteForeign(kind: ImageKind, foreign: boolean): void {
    if (foreign) this.#foreign.add(kind);
    else this.#foreign.delete(kind);
    this.#context.publish({ type: 'degraded', by: 'snapshots', degraded: this.#foreign.size > 0 });
  }

  #evidence(shared: SharedImage): void {
    const buffer = inMemory(shared);
    const image = openEvidence(buffer);
    const { sequence } = image.meta;
    // The changes between an older image and this view are no longer kept.
    if (sequence < this.#sequence && !this.#diverged) return;
    this.#sequence = sequence;
    this.#kept.include(sequence, this.#diverged);
    this.#context.publish({ type: 'evidence', image: buffer, included: sequence, restart: this.#diverged });
    if (this.#diverged || sequence > this.#follower.known.sequence || this.#follower.behind)
      this.#follower = this.#follow(positionOf(image.meta));
    this.#hasImage = true;
  }

  #geo(image: SharedImage): void {
    this.#geoWaiting = image;
    this.#publishGeo();
  }

  #assistants(image: SharedImage): void {
    const lists = inMemory(image);
    this.#context.checkAssistants(lists);
    this.#context.publish({ type: 'assistants', lists });
  }

  #evidenceIsIn(): void {
    this.#evidenceIn = true;
    this.#publishGeo();
  }

  /**
   * Lookups are answered only with places and all evidence: an address with evidence must never be reported
   * as unseen.
   */
  #publishGeo(): void {
    if (!this.#evidenceIn || this.#geoWaiting === undefined) return;
    this.#context.publish({ type: 'geo', image: this.#geoWaiting });
    this.#geoWaiting = undefined;
    this.serving = true;
  }

  #noteDiverged(diverged: boolean): void {
    if (diverged && !this.#diverged) this.#seen.delete('evidence');
    if (diverged || !this.#follower.behind) this.#diverged = diverged;
  }

  #follow(known: EvidencePosition): EvidenceFollower {
    const follower: EvidenceFollower = new EvidenceFollower(
      {
        store: this.#store,
        emit: (delta) => {
          if (follower !== this.#follower) return;
          this.#kept.note(delta);
          this.#context.publish({ type: 'delta', delta });
        },
        compile: async () => {
          throw new Error('more was accepted than is followed one by one; the next published image brings it');
        },
        failed: (error) =>
          this.#tell('captures', error, 'captures cannot be followed now; the last view keeps serving'),
        diverged: (view, head) =>
          this.#tell(
            'store',
            new Error(divergenceText(view, head)),
            'verdicts are degraded until an image of the evidence store as it is now is published',
          ),
        limits: LIMITS,
      },
      known,
    );
    return follower;
  }

  #tell(what: string, error: unknown, text: string): void {
    const reason = reasonText(error);
    if (this.#reported.get(what) === reason) return;
    this.#reported.set(what, reason);
    this.#context.log.warn({ err: error }, text);
  }
}

function inMemory(image: SharedImage): SharedArrayBuffer {
  if ('path' in image) throw new Error(`${image.path} is a file where memory is expected`);
  return image;
}
