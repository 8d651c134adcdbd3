import { MINUTE_MS, type UnixMs } from '../core/units.ts';
import type { EvidenceDelta } from '../engine/evidence/evidence-delta.ts';
import { deltaOf } from './compile-evidence.ts';
import type { HistoryStore } from './ports.ts';

/** How often the control thread should poll, so that a capture is visible on every thread within two seconds of being accepted. */
export const POLL_MS = 500;

/** A view that lacks accepted captures for longer than this is late, and verdicts from it are degraded. */
const LATE_MS = 2000;

/**
 * More changes than this are compiled rather than sent: reading, sending and applying one costs some 15 µs, compiling some 400 ms and 1 µs a row, off every
 * thread that answers.
 */
const worthCompiling = (imageRows: number): number => 30_000 + imageRows / 15;

export interface FollowerLimits {
  /** More changed (prefix, source) pairs than this at once are compiled, not sent. */
  readonly deltaRows: number;
  /** Rows sent since the image was built after which the next one is built. */
  readonly overlayRows: number;
  /** Age of an image that anything was sent on top of, after which the next one is built. */
  readonly overlayMs: number;
  /** Wait after a failed build. */
  readonly retryMs: number;
}

const LIMITS: FollowerLimits = { deltaRows: 200_000, overlayRows: 500_000, overlayMs: 30 * MINUTE_MS, retryMs: 30_000 };

export interface FollowerParts {
  readonly store: Pick<HistoryStore, 'changesSince'>;
  /** Sends a delta to every thread. */
  readonly emit: (delta: EvidenceDelta) => void;
  /** Builds an image off this thread, gives it to every thread, and answers with its sequence. Never called twice at once. */
  readonly compile: () => Promise<number>;
  /** Rows in the image that the threads stand on; left out: enough that sending is always cheaper. */
  readonly imageRows?: () => number;
  /** A store that could not be read or an image that could not be built: the old view keeps serving. */
  readonly failed: (error: unknown) => void;
  readonly limits?: Partial<FollowerLimits>;
}

/**
 * Keeps the live view up with the store: polls for accepted batches, sends what they changed, and has a new image built when the overlay has grown or
 * aged, or when too much changed to be sent. Owned by the control thread; `poll` is called every POLL_MS and never overlaps itself.
 */
export class EvidenceFollower {
  readonly #parts: FollowerParts;
  readonly #limits: FollowerLimits;
  #known: number;
  #rows = 0;
  #since: UnixMs | undefined;
  #behindSince: number | undefined;
  #polled = false;
  #polling = false;
  #retryAt = 0;
  #building: Promise<void> | undefined;

  /** @param known sequence of the image the threads start with; 0 for an empty one */
  constructor(parts: FollowerParts, known: number) {
    this.#parts = parts;
    this.#limits = { ...LIMITS, ...parts.limits };
    this.#known = known;
  }

  /** Sequence every thread has been sent. */
  get known(): number {
    return this.#known;
  }

  /** True while the view is known to lack accepted captures: a store that cannot be read, or an image still to be built. */
  get behind(): boolean {
    return this.#behindSince !== undefined;
  }

  /** True when it has been behind for longer than a capture may take to become visible, or ever since the first poll. */
  isLate(now: UnixMs): boolean {
    return this.#behindSince !== undefined && now - this.#behindSince > LATE_MS;
  }

  /** Looks once. Resolves when what was there is sent; a build goes on by itself (see `settled`). */
  async poll(now: UnixMs): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      const changes = await this.#parts.store.changesSince(this.#known, this.#deltaRows());
      this.#noteBehind(changes.changed === 'all', now);
      if (changes.changed !== 'all' && changes.head.sequence !== this.#known) {
        this.#parts.emit(deltaOf({ ...changes, changed: changes.changed }));
        this.#known = changes.head.sequence;
        this.#rows += changes.changed.length;
        if (changes.changed.length > 0) this.#since ??= now;
      }
      if (this.behind || this.#isDue(now)) this.#build(now);
    } catch (error) {
      this.#noteBehind(true, now);
      this.#parts.failed(error);
    } finally {
      this.#polling = false;
    }
  }

  /** Resolves when no build is going on. */
  async settled(): Promise<void> {
    await this.#building;
  }

  #deltaRows(): number {
    const rows = this.#parts.imageRows?.();
    return rows === undefined ? this.#limits.deltaRows : Math.min(this.#limits.deltaRows, Math.floor(worthCompiling(rows)));
  }

  #noteBehind(behind: boolean, now: UnixMs): void {
    const since = this.#polled ? now : Number.NEGATIVE_INFINITY;
    this.#behindSince = behind ? (this.#behindSince ?? since) : undefined;
    this.#polled = true;
  }

  #isDue(now: UnixMs): boolean {
    return this.#rows >= this.#limits.overlayRows || (this.#since !== undefined && now - this.#since >= this.#limits.overlayMs);
  }

  #build(now: UnixMs): void {
    if (this.#building !== undefined || now < this.#retryAt) return;
    // While the journal does not reach back nothing is sent, so the image alone says where the threads stand, also when the store was replaced by an older one.
    const [rows, since, restart] = [this.#rows, this.#since, this.behind];
    this.#rows = 0;
    this.#since = undefined;
    this.#building = this.#parts
      .compile()
      .then((sequence) => {
        this.#known = restart ? sequence : Math.max(this.#known, sequence);
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
      });
  }
}
