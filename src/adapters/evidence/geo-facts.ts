import type { CollectionFacts } from '../../core/collection/tally/collection-facts.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { loadKnownGood } from '../layers/known-good.ts';
import { openShared, type SharedImage } from '../snapshots/shared-image.ts';

/** An image of place and network that threads share. Images of one version are the same. */
export interface SharedGeo {
  readonly image: SharedImage;
  readonly version: string;
}

/** An image that was published, named so that a thread which has it already knows. */
export function sharedGeo(image: SharedImage): SharedGeo {
  const { dataVersion, builtAt } = openGeo(openShared(image, 'geo')).meta;
  return { image, version: `${dataVersion} ${builtAt}` };
}

/** Rules and facts of derivation, from the image that was given last. */
export class GeoFacts {
  #version: string | undefined;
  #facts: CollectionFacts | undefined;

  use({ image, version }: SharedGeo): void {
    if (version === this.#version) return;
    const geo = openGeo(openShared(image, 'geo'));
    this.#version = version;
    this.#facts = {
      network: (address) => geo.networkFacts(geo.networkId(address)),
      isKnownGood: (address, at) => loadKnownGood().find(address, at) !== undefined,
    };
  }

  /** Undefined until an image was given. */
  facts(): CollectionFacts | undefined {
    return this.#facts;
  }
}
