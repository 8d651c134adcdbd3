import { GeoFacts, type SharedGeo } from '../../adapters/evidence/geo-facts.ts';
import { geoImagePath, geoImages, isWhole } from './current-geo-image.ts';
import { pinnedImage } from './pinned-image.ts';

export async function readGeoFacts(dataDir: string): Promise<GeoFacts> {
  const geo = new GeoFacts();
  const image = await readCurrentGeo(dataDir);
  if (image !== undefined) geo.use(image);
  return geo;
}

export async function readCurrentGeo(dataDir: string): Promise<SharedGeo | undefined> {
  const pinned = pinnedImage(dataDir);
  if (pinned !== undefined) return { image: { path: pinned }, version: pinned };
  const { current } = await geoImages(dataDir).read();
  if (current === undefined || !isWhole(dataDir, current)) return undefined;
  return { image: { path: geoImagePath(dataDir, current) }, version: current.file };
}
