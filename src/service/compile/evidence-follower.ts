import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import {
  continues,
  type EvidenceDelta,
  type EvidencePosition,
  positionOf,
} from '../../engine/evidence/evidence-delta.ts';
import type { HistoryLog } from '../ports.ts';
import { deltaOf } from './compile-evidence.ts';

/**
 * The control thread polls this often, so that every thread sees a capture within two seconds of its
 * acceptance.
 */
export const POLL_MS = 500;
export const LOCAL_POLL_MS = 200;

/** A view that lacks accepted captures for longer than this is late, and its verdicts are degraded. */
const LATE_MS = 2000;

/**
 * - `deltaRows`: more changed rows than this are merged into an image instead of being sent as one delta.
 * - `overlayMs`: merging keeps names that rows no longer use, so everything is compiled this long after the first
 *   change.
 */
interface FollowerLimits {
  readonly deltaRows: number;
  readonly overlayRows: number;
  readonly overlayMs: number;
  readonly retryMs: number;
}

/**
 * Reading and sending one row costs the control thread and every HTTP thread less than 1 µs and 100 bytes;
 * merging costs them nothing.
 */
const LIMITS: FollowerLimits = { deltaRows: 100_000, overlayRows: 300_000, overlayMs: 30 * MINUTE_MS, retryMs: 30_000 };

interface FollowerOptions {
  readonly store: Pick<HistoryLog, 'changesSince'>;
  readonly emit: (delta: EvidenceDelta) => void;
  /**
   * Compiles everything off this thread, for every thread. @param restart threads take the image even if it
   * is older
   */
  readonly compile: (restart: boolean) => Promise<EvidencePosition>;
  /**
   * Merges changes into the threads' image off this thread, gives them the new one, and returns its position;
   * undefined where the store no longer has the changes. It never overlaps itself, but may overlap `compile`.
   * Without it everything is compiled.
   */
  readonly merge?: () => Promise<EvidencePosition | undefined>;
  /** Called when a store cannot be read or an image cannot be built; the old view keeps serving. */
  readonly failed: (error: unknown) => void;
  /**
   * Called once when the store never was in the view's state, because it was restored, truncated or replaced.
   * The view counts as late until everything was compiled again. @param head position of the store
   */
  readonly diverged: (view: EvidencePosition, head: EvidencePosition) => void;
  readonly limits?: Partial<FollowerLimits>;
}

/**
 * Keeps the live view up with the store. It polls for accepted batches and sends their changes, or merges
 * many of them into an image. It compiles everything at intervals, and when the store no longer has the
 * changes. The control thread calls `poll` every POLL_MS.
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
  #restarting = false;
  #mergeAt = 0;
  #diverged = false;

  constructor(parts: FollowerOptions, known: EvidencePosition) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#known = known;
  }

  /** Every thread has taken the changes up to this position. */
  get known(): EvidencePosition {
    return this.#known;
  }

  /** True while the view belongs to another store, or to a state that the store never had. */
  get diverged(): boolean {
    return this.#diverged;
  }

  get unreadable(): boolean {
    return this.#unreadable;
  }

  /** True while the view lacks accepted captures: the store cannot be read, or an image is being built. */
  get behind(): boolean {
    return this.#behindSince !== undefined;
  }

  /**
   * True after a poll that could not read the store, or when the view has been behind for longer than LATE_MS
   * or since the first poll.
   */
  isLate(now: UnixMs): boolean {
    if (this.#unreadable) return true;
    return this.#behindSince !== undefined && now - this.#behindSince > LATE_MS;
  }

  async poll(now: UnixMs): Promise<void> {
    // While a merge runs because the view is behind, deltas cannot be sent.
    if (this.#polling || (this.#merging !== undefined && this.behind)) return;
    this.#polling = true;
    try {
      const known = this.#known;
      const changes = await this.#parts.store.changesSince(known.sequence, this.#limits.deltaRows);
      this.#unreadable = false;
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

  async merged(): Promise<void> {
    await this.#merging;
  }

  async settled(): Promise<void> {
    while (this.#merging !== undefined || this.#building !== undefined)
      await Promise.all([this.#merging, this.#building]);
  }

  #isDue(now: UnixMs): boolean {
    return this.#since !== undefined && now - this.#since >= this.#limits.overlayMs;
  }

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
    // While the journal does not reach back, nothing is sent, so the image alone decides the threads'
    // position, even if the store was replaced by an older one.
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

const newer = (had: EvidencePosition, given: EvidencePosition): EvidencePosition =>
  given.sequence >= had.sequence ? given : had;

export function divergenceText(view: EvidencePosition, head: EvidencePosition): string {
  if (view.store !== head.store) return 'the evidence store is not the one that the view was made from';
  if (head.sequence < view.sequence)
    return 'the evidence store was restored or lost its newest batches: it is older than the view';
  return 'the evidence store was restored and written to since: it holds other batches than the view';
}
