import type { CollectionFacts } from '../../core/collection/derive/derivation-rules.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { loadKnownGood } from '../layers/known-good.ts';
import { openShared, type SharedImage } from '../snapshots/published-images.ts';

/** Threads share this image of places and networks. Images of one version are equal. */
export interface SharedGeo {
  readonly image: SharedImage;
  readonly version: string;
}

export function sharedGeo(image: SharedImage): SharedGeo {
  const { dataVersion, builtAt } = openGeo(openShared(image, 'geo')).meta;
  return { image, version: `${dataVersion} ${builtAt}` };
}

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

  facts(): CollectionFacts | undefined {
    return this.#facts;
  }
}
