import type { UnixMs } from '../../core/units.ts';
import { deadlineEnds, until } from '../deadline.ts';
import type {
  DeliveryOptions,
  DeliveryOutcome,
  DeliveryWriter,
  HistoryWriter,
  SentDelivery,
  SourceCaptures,
} from '../ports.ts';

/**
 * A bound on rows and deliveries of a transaction keeps other writers from waiting long. A single delivery
 * may have more rows.
 */
const GROUP_ROWS = 20_000;
const GROUP_DELIVERIES = 200;

interface Waiting {
  readonly sent: SentDelivery;
  readonly rows: number;
  readonly acceptedAt: UnixMs;
  readonly endsAt: number;
  readonly resolve: (outcome: DeliveryOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes waiting deliveries in one transaction, in order of arrival. Each has its own outcome. */
export class DeliveryQueue implements DeliveryWriter {
  readonly #store: Pick<HistoryWriter, 'recordDeliveries'>;
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(store: Pick<HistoryWriter, 'recordDeliveries'>) {
    this.#store = store;
  }

  recordDelivery(
    captures: readonly SourceCaptures[],
    acceptedAt: UnixMs,
    terms: DeliveryOptions = {},
  ): Promise<DeliveryOutcome> {
    const rows = captures.reduce((sum, { batch }) => sum + batch.length, 0);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sent: { captures, ...terms }, rows, acceptedAt, endsAt: deadlineEnds(), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    // Batches of the same turn of the event loop join the first group.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#write(this.#nextGroup());
    this.#writing = undefined;
  }

  #nextGroup(): readonly Waiting[] {
    let count = 1;
    for (let { rows } = this.#waiting[0]!; count < Math.min(this.#waiting.length, GROUP_DELIVERIES); count++) {
      rows += this.#waiting[count]!.rows;
      if (rows > GROUP_ROWS) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #write(group: readonly Waiting[]): Promise<void> {
    try {
      const acceptedAt = group.reduce(
        (newest, one) => (one.acceptedAt > newest ? one.acceptedAt : newest),
        group[0]!.acceptedAt,
      );
      const endsAt = Math.max(...group.map((one) => one.endsAt));
      const sent = group.map((one) => one.sent);
      const outcomes = await until(endsAt, () => this.#store.recordDeliveries(sent, acceptedAt));
      for (const [n, { resolve }] of group.entries()) resolve(outcomes[n]!);
    } catch (error) {
      if (group.length === 1) group[0]!.reject(error);
      else await this.#writeEach(group);
    }
  }

  /**
   * Retries a failed group one by one, since a single delivery may be at fault. After two failures in a row
   * the store is at fault, and the rest fails too.
   */
  async #writeEach(group: readonly Waiting[]): Promise<void> {
    let failures = 0;
    for (const { sent, acceptedAt, endsAt, resolve, reject } of group) {
      if (failures >= 2) {
        reject(new Error('the store could not be written for the deliveries before this one'));
        continue;
      }
      try {
        resolve((await until(endsAt, () => this.#store.recordDeliveries([sent], acceptedAt)))[0]!);
        failures = 0;
      } catch (error) {
        failures++;
        reject(error);
      }
    }
  }
}
