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

/** Follows the change sequence. While the database is away cached values stay; the next answer brings all. */
export class ChangeFeed {
  readonly #source: ChangeSource;
  readonly #listeners: ChangeListener[] = [];
  #known: number | undefined;

  constructor(source: ChangeSource) {
    this.#source = source;
  }

  subscribe(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  /** One look at the sequence, never two at once. @throws Error while the database is away, or a listener fails */
  async poll(): Promise<void> {
    const head = await this.#source.head();
    const known = this.#known;
    if (known === head) return;
    // First look: an entry cached before it may be older than `head`.
    const changes = known === undefined || head < known ? [] : await this.#source.after(known);
    // Numbers are gapless, so a first number that is not the next one means that rows were pruned before we saw them.
    const whole = known !== undefined && changes[0]?.seq === known + 1;
    for (const listener of this.#listeners) await listener(whole ? changes : 'everything');
    this.#known = changes.at(-1)?.seq ?? head;
  }
}
