import { HOUR_MS } from '../../core/units.ts';
import type { AccountStore, CountedEvent } from './account-store.ts';

/** Beyond this many waiting events, further ones are counted without their subject. */
const KEPT_MAX = 10_000;
const BATCH = 100;

/**
 * Counts events in memory between writes. A flood of refusals then causes few writes, and a refusal takes
 * equally long for every account.
 * Events that could not be written wait for the next flush.
 */
export class EventTally {
  readonly #store: Pick<AccountStore, 'countEvents'>;
  #waiting = new Map<string, CountedEvent>();

  constructor(store: Pick<AccountStore, 'countEvents'>) {
    this.#store = store;
  }

  note(event: CountedEvent): void {
    const key = keyOf(event);
    if (this.#waiting.has(key) || this.#waiting.size < KEPT_MAX) this.#add(key, event);
    else {
      const other: CountedEvent = { ...event, actor: 'system', subject: 'others', detail: {} };
      this.#add(keyOf(other), other);
    }
  }

  async flush(): Promise<void> {
    const events = [...this.#waiting.values()];
    this.#waiting = new Map();
    for (let from = 0; from < events.length; from += BATCH)
      try {
        await this.#store.countEvents(events.slice(from, from + BATCH));
      } catch (error) {
        for (const event of events.slice(from)) this.#add(keyOf(event), event);
        throw error;
      }
  }

  #add(key: string, event: CountedEvent): void {
    const known = this.#waiting.get(key);
    if (known === undefined) this.#waiting.set(key, event);
    else this.#waiting.set(key, { ...event, at: laterOf(known, event), counts: sumOf(known.counts, event.counts) });
  }
}

const keyOf = ({ action, actor, subject, detail, at }: CountedEvent): string =>
  JSON.stringify([action, actor, subject, detail, Math.floor(at / HOUR_MS)]);

const laterOf = (one: CountedEvent, two: CountedEvent): CountedEvent['at'] => (one.at > two.at ? one.at : two.at);

const sumOf = (one: CountedEvent['counts'], two: CountedEvent['counts']): CountedEvent['counts'] =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(two)])].map((name) => [name, (one[name] ?? 0) + (two[name] ?? 0)]),
  );
