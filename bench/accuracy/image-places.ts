import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { feedById } from '../../src/adapters/feeds/catalogue.ts';
import { NetworkListFiles } from '../../src/adapters/feeds/network-list-files.ts';
import type { NetworkList } from '../../src/core/place/network-list.ts';
import type { UnixMs } from '../../src/core/units.ts';
import { openGeo } from '../../src/engine/geo/geo-image.ts';
import { prepareGeoImage } from '../../src/main/place-data/prepare-geo-image.ts';
import type { Places } from './judge.ts';

/**
 * Networks from an image compiled as a server compiles it, out of the shipped layers and these lists.
 * @param dataDir where the image goes
 */
export async function imagePlaces(dataDir: string, networkLists: readonly NetworkList[], at: UnixMs): Promise<Places> {
  const files = new NetworkListFiles(join(dataDir, 'network'), () => true);
  for (const list of networkLists) files.put(feedById(list.id)!, list);
  const { path } = await prepareGeoImage({ dataDir }, at);
  const bytes = readFileSync(path);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  const geo = openGeo(shared);
  return {
    network: (address) => geo.networkFacts(geo.networkId(address)),
    place: (address) => {
      const id = geo.placeId(address);
      return id === 0 ? {} : (JSON.parse(String(geo.placeJson(id))) as ReturnType<Places['place']>);
    },
  };
}
