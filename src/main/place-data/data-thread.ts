import type { FamilyRequest } from '../../adapters/layers/read-family.ts';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { GeoCheck } from '../../engine/geo/verify-geo.ts';
import type { FamilyTables } from '../../service/compile/compile-data.ts';
import { type PackedNetworks, unpackNetworks } from './packed-networks.ts';

/** A call to a thread of the data build. */
export type DataRequest =
  | { readonly merge: FamilyRequest }
  | { readonly verify: SharedArrayBuffer; readonly checks: readonly GeoCheck[] };

/** `FamilyTables` on their way between threads. */
export interface MergedFamily {
  readonly place?: NonNullable<FamilyTables['place']>;
  readonly network?: {
    readonly ranges: NonNullable<FamilyTables['network']>['ranges'];
    readonly records: PackedNetworks;
  };
  readonly faults: readonly string[];
}

export interface FamilyOutcome extends FamilyTables {
  readonly faults: readonly string[];
}

/** One worker thread of the data build. It does its calls in the order they were made. */
export class DataThread {
  readonly #calls = new WorkerCalls<DataRequest, MergedFamily | readonly string[], string>(
    new URL('./data-worker.ts', import.meta.url),
    {
      ended: 'the data worker ended early',
    },
  );
  readonly #onStep: (step: string) => void;

  constructor(onStep: (step: string) => void) {
    this.#onStep = onStep;
  }

  /** Merges what layers and lists say about one family. */
  async merge(request: FamilyRequest): Promise<FamilyOutcome> {
    const { place, network, faults } = (await this.#calls.call(
      { merge: request },
      { onProgress: this.#onStep },
    )) as MergedFamily;
    return {
      ...(place && { place }),
      ...(network && { network: { ranges: network.ranges, records: unpackNetworks(network.records) } }),
      faults,
    };
  }

  /** Some checks of `verifyGeo`. @returns the faults */
  async verify(image: SharedArrayBuffer, checks: readonly GeoCheck[]): Promise<readonly string[]> {
    return (await this.#calls.call({ verify: image, checks })) as readonly string[];
  }

  end(): Promise<void> {
    return this.#calls.close();
  }
}
