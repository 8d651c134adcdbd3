import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import type { UnixMs } from '../../core/units.ts';
import type { HistoryPast, HistoryStore } from '../../service/ports.ts';
import { type HistoryTarget, type HistoryUse, openHistory } from './open-history.ts';

/** The evidence store of a thread that answers requests, opened when a question first needs it: live verdicts need none of its code, and a start waits for them. */
export class HistoryOnDemand implements HistoryPast {
  readonly #target: HistoryTarget;
  readonly #use: HistoryUse;
  #opening: Promise<HistoryStore> | undefined;
  #store: HistoryStore | undefined;

  constructor(target: HistoryTarget, use: HistoryUse) {
    this.#target = target;
    this.#use = use;
  }

  /** The whole store. One that could not be opened is tried again at the next call. @throws the error of opening it */
  open(): Promise<HistoryStore> {
    this.#opening ??= openHistory(this.#target, this.#use).then(
      (store) => {
        this.#store = store;
        return store;
      },
      (error) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Closes the store if it was ever opened. */
  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.close();
  }

  earliest(): ReturnType<HistoryPast['earliest']> {
    return this.#store === undefined ? this.open().then((store) => store.earliest()) : this.#store.earliest();
  }

  observationsAt(address: Address, at: UnixMs): readonly Observation[] | Promise<readonly Observation[]> {
    return this.#store === undefined
      ? this.open().then((store) => store.observationsAt(address, at))
      : this.#store.observationsAt(address, at);
  }

  leftOutAt(at: UnixMs): ReturnType<HistoryPast['leftOutAt']> {
    return this.#store === undefined ? this.open().then((store) => store.leftOutAt(at)) : this.#store.leftOutAt(at);
  }
}
