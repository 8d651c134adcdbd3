import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import type { CollectionFacts } from '../../core/collection/tally/collection-facts.ts';
import type { KnownGood } from '../../core/risk/known-good.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';

/** An image of place and network in memory that threads share. Images of one version are the same. */
export interface SharedGeo {
  readonly image: SharedArrayBuffer;
  readonly version: string;
}

/** An image that was published, named so that a thread which has it already knows. */
export function sharedGeo(image: SharedArrayBuffer): SharedGeo {
  const { dataVersion, builtAt } = openGeo(image).meta;
  return { image, version: `${dataVersion} ${builtAt}` };
}

/** What captures are derived by, from the image that was given last. */
export class GeoFacts {
  #version: string | undefined;
  #facts: CollectionFacts | undefined;
  #knownGood: KnownGood | undefined;

  use({ image, version }: SharedGeo): void {
    if (version === this.#version) return;
    const geo = openGeo(image);
    this.#version = version;
    this.#facts = {
      network: (address) => geo.networkFacts(geo.networkId(address)),
      isKnownGood: (address, at) => {
        this.#knownGood ??= loadKnownGood();
        return this.#knownGood.find(address, at) !== undefined;
      },
    };
  }

  /** Undefined until an image was given. */
  facts(): CollectionFacts | undefined {
    return this.#facts;
  }
}
