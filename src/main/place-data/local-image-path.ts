import { readyImage } from './current-geo-image.ts';

/** A command that reads takes the image that is there; one is built only where there is none. */
export async function localImagePath(dataDir: string, now: number): Promise<string> {
  const ready = await readyImage(dataDir);
  if (ready !== undefined) return ready.path;
  const { prepareGeoImage } = await import('./prepare-geo-image.ts');
  return (await prepareGeoImage({ dataDir }, now)).path;
}
