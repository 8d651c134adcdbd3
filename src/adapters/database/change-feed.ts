/** The sequence of changes as one follower sees it: asked every few hundred milliseconds. */
export interface ChangeSource {
  /** Number of the newest change. */
  head(): number | Promise<number>;
  /** Changes with a greater number, ascending. */
  after(seq: number): readonly SeenChange[] | Promise<readonly SeenChange[]>;
}

export interface SeenChange {
  readonly seq: number;
  readonly topic: string;
  readonly subject: string;
}

/** Which records changed, in order; `everything` when the follower cannot know (it was behind the oldest row kept). */
export type RecordChanges = readonly SeenChange[] | 'everything';

/** Receives the records that changed. A listener that fails is called again at the next poll. */
export type ChangeListener = (changes: RecordChanges) => void | Promise<void>;

/**
 * Follows the change sequence. While the database cannot be reached no listener is called, cached values stay, and `failures` counts up;
 * the first answer afterwards brings everything that was missed.
 */
export class ChangeFeed {
  readonly #source: ChangeSource;
  readonly #listeners: ChangeListener[] = [];
  #known: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running = false;
  /** Polls in a row that failed. */
  failures = 0;

  constructor(source: ChangeSource) {
    this.#source = source;
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** Polls every `intervalMs` until `stop`. The timer does not keep the process alive. */
  start(intervalMs = POLL_MS): void {
    this.#timer = setInterval(() => void this.poll(), intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One look at the sequence; never rejects. */
  async poll(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      await this.#catchUp();
      this.failures = 0;
    } catch {
      // The database is away: counted, shown as a metric by the owner of the feed, and tried again at the next tick.
      this.failures += 1;
    } finally {
      this.#running = false;
    }
  }

  async #catchUp(): Promise<void> {
    const head = await this.#source.head();
    const known = this.#known;
    if (known === head) return;
    // First look: what was cached before it may be older than `head`.
    const changes = known === undefined || head < known ? [] : await this.#source.after(known);
    // Numbers are gapless, so a first number that is not the next one means that rows were pruned before we saw them.
    const whole = known !== undefined && changes[0]?.seq === known + 1;
    for (const listener of this.#listeners) await listener(whole ? changes : 'everything');
    this.#known = changes.at(-1)?.seq ?? head;
  }
}

/** Well under the two seconds a revocation may take. */
const POLL_MS = 300;
