import type { HistoryStore } from '../../service/ports.ts';

/** What is known is asked for again after this long. */
const KNOWN_FOR_MS = 2000;
/** A store that is away is not asked at every batch. */
const AWAY_MS = 10_000;

type Asked = Pick<HistoryStore, 'trusts' | 'close'>;

/**
 * Which sources an operator trusts, for nodes that only append: at most two seconds old, or what was known when the store went away. The store judges every batch again
 * when it takes it in.
 */
export class KnownTrust {
  readonly #open: () => Promise<Asked>;
  #store: Promise<Asked> | undefined;
  #refused: ReadonlySet<string> = new Set();
  #askAgainAt = Number.NEGATIVE_INFINITY;

  readonly #now: () => number;

  /** @param open the store; a failure is not remembered @param now milliseconds that only grow */
  constructor(open: () => Promise<Asked>, now = () => performance.now()) {
    this.#open = open;
    this.#now = now;
  }

  async isTrusted(source: string): Promise<boolean> {
    if (this.#now() >= this.#askAgainAt) await this.#ask();
    return !this.#refused.has(source);
  }

  async close(): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.close();
  }

  async #ask(): Promise<void> {
    try {
      this.#store ??= this.#open();
      const said = await (await this.#store).trusts();
      this.#refused = new Set(said.filter(({ trust }) => trust === 'none').map(({ source }) => source));
      this.#askAgainAt = this.#now() + KNOWN_FOR_MS;
    } catch {
      // A batch of a source without trust is set aside when the store is back.
      this.#store?.catch(() => {
        this.#store = undefined;
      });
      this.#askAgainAt = this.#now() + AWAY_MS;
    }
  }
}
