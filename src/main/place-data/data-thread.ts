import { Worker } from 'node:worker_threads';
import type { FamilyRequest } from '../../adapters/layers/read-family.ts';
import type { GeoCheck } from '../../engine/geo/verify-geo.ts';
import type { FamilyTables } from '../../service/build-data.ts';
import { type PackedNetworks, unpackNetworks } from './packed-networks.ts';

/** What a thread of the data build does. */
export type DataRequest = { readonly merge: FamilyRequest } | { readonly verify: SharedArrayBuffer; readonly checks: readonly GeoCheck[] };

/** `FamilyTables` on their way between threads. */
export interface MergedFamily {
  readonly place?: NonNullable<FamilyTables['place']>;
  readonly network?: { readonly ranges: NonNullable<FamilyTables['network']>['ranges']; readonly records: PackedNetworks };
  readonly faults: readonly string[];
}

export interface FamilyOutcome extends FamilyTables {
  readonly faults: readonly string[];
}

/** One worker thread of the data build, with its requests done in the order they were made. */
export class DataThread {
  readonly #worker = new Worker(new URL('./data-worker.ts', import.meta.url));
  #failure: Error | undefined;
  readonly #waiting: { resolve(answer: unknown): void; reject(error: Error): void }[] = [];

  constructor(onStep: (step: string) => void) {
    this.#worker.on('message', ({ step, answer }: { readonly step?: string; readonly answer?: unknown }) => {
      if (step !== undefined) onStep(step);
      else this.#waiting.shift()?.resolve(answer);
    });
    this.#worker.on('error', (error) => this.#fail(error as Error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`the data worker ended early (status ${code})`)));
  }

  /** Merges what layers and lists say about one family. */
  async merge(request: FamilyRequest): Promise<FamilyOutcome> {
    const { place, network, faults } = (await this.#ask({ merge: request })) as MergedFamily;
    return { ...(place && { place }), ...(network && { network: { ranges: network.ranges, records: unpackNetworks(network.records) } }), faults };
  }

  /** Some checks of `verifyGeo`. @returns the faults */
  async verify(image: SharedArrayBuffer, checks: readonly GeoCheck[]): Promise<readonly string[]> {
    return (await this.#ask({ verify: image, checks })) as readonly string[];
  }

  end(): Promise<number> {
    return this.#worker.terminate();
  }

  #ask(request: DataRequest): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
