import { geoImagePath, geoImages, isWhole, pinnedImage } from './current-geo-image.ts';
import { inputsStamp } from './find-inputs.ts';

export async function localImagePath(dataDir: string, now: number): Promise<string> {
  const known = pinnedImage(dataDir) ?? (await upToDateImage(dataDir));
  if (known !== undefined) return known;
  const { prepareGeoImage } = await import('./prepare-geo-image.ts');
  return (await prepareGeoImage({ dataDir }, now)).path;
}

async function upToDateImage(dataDir: string): Promise<string | undefined> {
  const { current } = await geoImages(dataDir).read();
  const isUpToDate = current !== undefined && isWhole(dataDir, current) && current.stamp === inputsStamp(dataDir);
  return isUpToDate ? geoImagePath(dataDir, current) : undefined;
}
