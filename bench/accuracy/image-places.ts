import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  mkdirSync(join(dataDir, 'network'), { recursive: true });
  for (const { id, places } of networkLists)
    if (places !== undefined)
      writeFileSync(join(dataDir, 'network', `${id}.geofeed`), `# from the mirror; ${id}\n${places.join('\n')}\n`);
  const { path } = await prepareGeoImage({ dataDir }, at, { networkLists });
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
