import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import {
  continues,
  type EvidenceDelta,
  type EvidencePosition,
  positionOf,
} from '../../engine/evidence/evidence-delta.ts';
import type { HistoryLog } from '../ports.ts';
import { deltaOf } from './compile-evidence.ts';

/** How often the control thread should poll, so that a capture is visible on every thread within two seconds of being accepted. */
export const POLL_MS = 500;
/** The same where a look is a tenth of a millisecond, and no question over the network. */
export const LOCAL_POLL_MS = 200;

/** A view that lacks accepted captures for longer than this is late, and verdicts from it are degraded. */
const LATE_MS = 2000;

export interface FollowerLimits {
  /** More changed rows than this at once go into an image, and are not sent. */
  readonly deltaRows: number;
  /** Rows sent since the last image after which they go into one. */
  readonly overlayRows: number;
  /** Age of the first change since everything was compiled, after which it is compiled again: merging leaves behind names that rows no longer use. */
  readonly overlayMs: number;
  /** Wait after a failed build or merge. */
  readonly retryMs: number;
}

/** Reading and sending one row costs the control thread and every HTTP thread less than 1 µs and 100 bytes; merging costs neither of them anything. */
const LIMITS: FollowerLimits = { deltaRows: 100_000, overlayRows: 300_000, overlayMs: 30 * MINUTE_MS, retryMs: 30_000 };

export interface FollowerOptions {
  readonly store: Pick<HistoryLog, 'changesSince'>;
  /** Sends a delta to every thread. */
  readonly emit: (delta: EvidenceDelta) => void;
  /** Compiles everything off this thread, for every thread. @param restart threads take it even if behind */
  readonly compile: (restart: boolean) => Promise<EvidencePosition>;
  /**
   * Merges changes into the image of the threads, off this thread, gives them the new one, and answers with its position; undefined where the store
   * no longer has the changes. Never called twice at once, but also while `compile` is at work. Left out: everything is compiled.
   */
  readonly merge?: () => Promise<EvidencePosition | undefined>;
  /** A store that could not be read or an image that could not be built: the old view keeps serving. */
  readonly failed: (error: unknown) => void;
  /**
   * The store never stood where the view does: it was restored, cut, or is another one. Called once; the view counts as late until everything was
   * compiled from the store.
   * @param head where the store stands
   */
  readonly diverged: (view: EvidencePosition, head: EvidencePosition) => void;
  readonly limits?: Partial<FollowerLimits>;
}

/**
 * Keeps the live view up with the store: polls for accepted batches and sends their changes; merges it into a new image when it is too much to be sent or
 * when much was sent; and has everything compiled again from time to time, or when the store no longer has the changes. Owned by the control thread; `poll`
 * is called every POLL_MS and never overlaps itself.
 */
export class EvidenceFollower {
  readonly #parts: FollowerOptions;
  readonly #limits: FollowerLimits;
  #known: EvidencePosition;
  #rows = 0;
  #since: UnixMs | undefined;
  #behindSince: number | undefined;
  #polled = false;
  #unreadable = false;
  #polling = false;
  #retryAt = 0;
  #building: Promise<void> | undefined;
  #merging: Promise<void> | undefined;
  /** A build goes on that was begun because the store no longer had the changes. */
  #restarting = false;
  #mergeAt = 0;
  #diverged = false;

  /** @param known where the image stands that the threads start with; NOWHERE without one */
  constructor(parts: FollowerOptions, known: EvidencePosition) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#known = known;
  }

  /** Position of every thread that took its changes. */
  get known(): EvidencePosition {
    return this.#known;
  }

  /** True while the view is known to be of another store, or of a state that the store never had. */
  get diverged(): boolean {
    return this.#diverged;
  }

  /** True while the view is known to lack accepted captures: a store that cannot be read, or an image still to be built. */
  get behind(): boolean {
    return this.#behindSince !== undefined;
  }

  /** True when the store could not be read at the last poll, or the view has been behind for longer than a capture may take to become visible, or ever since the first poll. */
  isLate(now: UnixMs): boolean {
    if (this.#unreadable) return true;
    return this.#behindSince !== undefined && now - this.#behindSince > LATE_MS;
  }

  /** Looks once. Resolves when the changes are sent; merging and compiling go on by themselves (see `settled`). */
  async poll(now: UnixMs): Promise<void> {
    // The result of a merge that was begun because the view is behind cannot be sent; after any other one, nothing waits for the image.
    if (this.#polling || (this.#merging !== undefined && this.behind)) return;
    this.#polling = true;
    try {
      const known = this.#known;
      const changes = await this.#parts.store.changesSince(known.sequence, this.#limits.deltaRows);
      this.#unreadable = false;
      // A new image came while the store was asked about the one before.
      if (this.#known !== known) return;
      this.#noteDiverged(!continues(known, changes.since), changes.head);
      this.#noteBehind(this.#diverged || changes.changed === 'all', now);
      if (!this.#diverged && changes.changed !== 'all' && changes.head.sequence !== known.sequence) {
        this.#parts.emit(deltaOf({ ...changes, changed: changes.changed }));
        this.#known = positionOf(changes.head);
        const { length } = changes.changed.rows;
        this.#rows += length;
        if (length > 0) this.#since ??= now;
      }
      if (this.#diverged) this.#build(now);
      else if (this.behind || this.#rows >= this.#limits.overlayRows) this.#merge(now);
      else if (this.#isDue(now)) this.#build(now);
    } catch (error) {
      this.#unreadable = true;
      this.#noteBehind(true, now);
      this.#parts.failed(error);
    } finally {
      this.#polling = false;
    }
  }

  /** Resolves when no merge goes on. */
  async merged(): Promise<void> {
    await this.#merging;
  }

  /** Resolves when neither merging nor compiling goes on. */
  async settled(): Promise<void> {
    while (this.#merging !== undefined || this.#building !== undefined)
      await Promise.all([this.#merging, this.#building]);
  }

  #isDue(now: UnixMs): boolean {
    return this.#since !== undefined && now - this.#since >= this.#limits.overlayMs;
  }

  /** Merges, or compiles where that cannot be done. */
  #merge(now: UnixMs): void {
    if (this.#merging !== undefined) return;
    const { merge } = this.#parts;
    if (merge === undefined || this.#restarting || now < this.#mergeAt) {
      this.#build(now);
      return;
    }
    const rows = this.#rows;
    this.#rows = 0;
    this.#merging = merge()
      .then((position) => {
        if (position === undefined) this.#build(now);
        else {
          this.#known = newer(this.#known, position);
          this.#since ??= now;
          this.#behindSince = undefined;
        }
      })
      .catch((error: unknown) => {
        this.#rows += rows;
        this.#mergeAt = now + this.#limits.retryMs;
        this.#parts.failed(error);
        this.#build(now);
      })
      .finally(() => {
        this.#merging = undefined;
      });
  }

  #noteDiverged(diverged: boolean, head: EvidencePosition): void {
    if (diverged && !this.#diverged) this.#parts.diverged(this.#known, positionOf(head));
    this.#diverged = diverged;
  }

  #noteBehind(behind: boolean, now: UnixMs): void {
    if (this.#diverged) this.#behindSince = Number.NEGATIVE_INFINITY;
    else if (!behind) this.#behindSince = undefined;
    else this.#behindSince ??= this.#polled ? now : Number.NEGATIVE_INFINITY;
    this.#polled = true;
  }

  #build(now: UnixMs): void {
    if (this.#building !== undefined || now < this.#retryAt) return;
    // While the journal does not reach back nothing is sent, so the image alone says where the threads stand, also when the store was replaced by an older one.
    const [rows, since, restart] = [this.#rows, this.#since, this.behind];
    this.#restarting = restart;
    this.#rows = 0;
    this.#since = undefined;
    this.#building = this.#parts
      .compile(restart)
      .then((position) => {
        this.#known = restart ? position : newer(this.#known, position);
        this.#retryAt = 0;
      })
      .catch((error: unknown) => {
        this.#rows += rows;
        this.#since = since;
        this.#retryAt = now + this.#limits.retryMs;
        this.#parts.failed(error);
      })
      .finally(() => {
        this.#building = undefined;
        this.#restarting = false;
      });
  }
}

/** Where threads stand that had one and were given an image of the other: they keep the newer one by its number. */
const newer = (had: EvidencePosition, given: EvidencePosition): EvidencePosition =>
  given.sequence >= had.sequence ? given : had;
