import { geoImagePath, geoImages, isWhole, pinnedImage } from './current-geo-image.ts';

/** A command that reads takes the image that is there, of whichever inputs; one is built only where there is none. */
export async function localImagePath(dataDir: string, now: number): Promise<string> {
  const pinned = pinnedImage(dataDir);
  if (pinned !== undefined) return pinned;
  const { current } = await geoImages(dataDir).read();
  if (current !== undefined && isWhole(dataDir, current)) return geoImagePath(dataDir, current);
  const { prepareGeoImage } = await import('./prepare-geo-image.ts');
  return (await prepareGeoImage({ dataDir }, now)).path;
}
