import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What `images/geo.json` holds: which file is current and what it was made from. */
export interface CurrentGeoImage {
  readonly file: string;
  readonly bytes: number;
  readonly dataVersion: string;
  readonly place: string;
  readonly network: string;
  readonly faults: readonly string[];
}

/** The image that was prepared last, if it is whole; whether it is still up to date is for `prepareGeoImage` to say. */
export function currentGeoImage(dataDir: string): string | undefined {
  const folder = join(dataDir, 'images');
  const current = readCurrentGeoImage(folder);
  if (current === undefined) return undefined;
  const path = join(folder, current.file);
  return existsSync(path) && statSync(path).size === current.bytes ? path : undefined;
}

/** @param folder the images' folder @returns undefined when there is no image */
export function readCurrentGeoImage(folder: string): CurrentGeoImage | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'geo.json'), 'utf8')) as CurrentGeoImage;
  } catch {
    // No image yet, or a note that was cut off: either way the image is built.
    return undefined;
  }
}
