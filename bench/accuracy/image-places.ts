import { readFileSync } from 'node:fs';
import type { CollectionFacts } from '../../src/core/collection/tally/collection-facts.ts';
import type { NetworkList } from '../../src/core/place/network-list.ts';
import type { UnixMs } from '../../src/core/units.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import { prepareGeoImage } from '../../src/main/place-data/prepare-geo-image.ts';
import type { Places } from './judge.ts';

/** With the network data of derived kinds. */
export type ImagePlaces = Pick<Places, 'country'> & Pick<CollectionFacts, 'network'>;

/**
 * Places and networks from an image compiled as a server compiles it, out of the shipped layers and these lists.
 * @param dataDir where the image goes
 */
export async function imagePlaces(
  dataDir: string,
  networkLists: readonly NetworkList[],
  at: UnixMs,
): Promise<ImagePlaces> {
  const { path } = await prepareGeoImage({ dataDir }, at, { networkLists });
  const bytes = readFileSync(path);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const geo = openGeo(shared);
  const countries = new Map<number, string | undefined>();
  return {
    network: (address) => geo.networkFacts(geo.networkId(address)),
    country: (address) => {
      const id = geo.placeId(address);
      if (!countries.has(id)) countries.set(id, id === 0 ? undefined : countryOf(geo.placeJson(id)));
      return countries.get(id);
    },
  };
}

const countryOf = (json: string): string | undefined => (JSON.parse(json) as { country?: string }).country;
