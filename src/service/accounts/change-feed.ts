export interface ChangeSource {
  head(): number | Promise<number>;
  after(seq: number): readonly SeenChange[] | Promise<readonly SeenChange[]>;
}

export interface SeenChange {
  readonly seq: number;
  readonly topic: string;
  readonly subject: string;
}

/** `everything` means that the follower missed rows that are already pruned. */
export type RecordChanges = readonly SeenChange[] | 'everything';

/** A listener that fails is called again at the next poll. */
export type ChangeListener = (changes: RecordChanges) => void | Promise<void>;

/**
 * Follows the change sequence. While the database is away, cached values stay valid; the first answer after
 * that brings all changes.
 */
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

  /** Polls once; calls must not overlap. @throws Error while the database is away, or when a listener fails */
  async poll(): Promise<void> {
    const head = await this.#source.head();
    const known = this.#known;
    if (known === head) return;
    // On the first poll an entry may have been cached before `head`, so nothing cached is known to be
    // current.
    const changes = known === undefined || head < known ? [] : await this.#source.after(known);
    // Numbers are gapless, so a first number that is not the next one means that rows were pruned unseen.
    const whole = known !== undefined && changes[0]?.seq === known + 1;
    for (const listener of this.#listeners) await listener(whole ? changes : 'everything');
    this.#known = changes.at(-1)?.seq ?? head;
  }
}
