import type { FamilyRequest } from '../../adapters/layers/read-family.ts';
import type { SharedFile } from '../../adapters/system/map-file.ts';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { LayerReading } from '../../core/place/layer-reading.ts';
import type { Said } from '../../core/texts/said.ts';
import type { EncodedTables, GeoTable } from '../../engine/geo/geo-image.ts';
import type { GeoCheck } from '../../engine/geo/network-records.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import type { FamilyTables } from '../../service/compile/family-tables.ts';
import { type PackedNetworks, unpackNetworks } from './packed-networks.ts';
import type { LayerOutcome } from './update-layers.ts';

/**
 * A call to a thread of place data. `prepare` itself runs in such a thread and uses `merge`, `encode` and
 * `verify`.
 */
export type DataRequest =
  | { readonly do: 'prepare'; readonly dataDir: string; readonly force: boolean }
  | { readonly do: 'update'; readonly dataDir: string; readonly ids: readonly string[] }
  | { readonly do: 'merge'; readonly with: FamilyRequest }
  | ({ readonly do: 'encode' } & EncodeRequest)
  | { readonly do: 'verify'; readonly image: SharedFile; readonly checks: readonly GeoCheck[] };

export interface EncodeRequest {
  readonly table: GeoTable;
  readonly ranges: RangeSet;
  readonly records: number;
}

export interface PreparedImage {
  readonly path: string;
  readonly dataVersion: string;
  readonly rebuilt: boolean;
  readonly faults: readonly Said[];
  readonly leftOut: readonly Said[];
}

export type DataReply = PreparedImage | MergedFamily | EncodedTables | readonly LayerOutcome[] | readonly string[];

export interface MergedFamily {
  readonly place?: NonNullable<FamilyTables['place']>;
  readonly network?: {
    readonly ranges: NonNullable<FamilyTables['network']>['ranges'];
    readonly records: PackedNetworks;
    readonly asNames: ReadonlyMap<number, string>;
  };
  readonly readings: readonly LayerReading[];
}

export interface FamilyOutcome extends FamilyTables {
  readonly readings: readonly LayerReading[];
}

export class DataThread {
  readonly #calls = new WorkerCalls<DataRequest, DataReply, Said>(new URL('./data-worker.ts', import.meta.url), {
    ended: 'the data worker ended early',
  });
  readonly #onStep: (step: Said) => void;

  constructor(onStep: (step: Said) => void = () => {}) {
    this.#onStep = onStep;
  }

  async prepare(dataDir: string, force: boolean): Promise<PreparedImage> {
    return (await this.#call({ do: 'prepare', dataDir, force })) as PreparedImage;
  }

  async updateLayers(dataDir: string, ids: readonly string[]): Promise<readonly LayerOutcome[]> {
    return (await this.#call({ do: 'update', dataDir, ids })) as readonly LayerOutcome[];
  }

  async merge(request: FamilyRequest): Promise<FamilyOutcome> {
    const { place, network, readings } = (await this.#call({ do: 'merge', with: request })) as MergedFamily;
    return {
      ...(place && { place }),
      ...(network && { network: { ...network, records: unpackNetworks(network.records) } }),
      readings,
    };
  }

  async encode(request: EncodeRequest): Promise<EncodedTables> {
    const { starts, ids } = request.ranges;
    return (await this.#call({ do: 'encode', ...request }, [
      starts.buffer as ArrayBuffer,
      ids.buffer as ArrayBuffer,
    ])) as EncodedTables;
  }

  async verify(image: SharedFile, checks: readonly GeoCheck[]): Promise<readonly string[]> {
    return (await this.#call({ do: 'verify', image, checks })) as readonly string[];
  }

  end(): Promise<void> {
    return this.#calls.close();
  }

  #call(request: DataRequest, transfer: readonly ArrayBuffer[] = []): Promise<DataReply> {
    return this.#calls.call(request, { onProgress: this.#onStep, transfer });
  }
}
