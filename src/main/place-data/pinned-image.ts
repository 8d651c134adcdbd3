import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Path of a finished image with this name, or undefined. It is served as it is and nothing is built, for
 * machines that receive finished images and for tests.
 */
export function pinnedImage(dataDir: string): string | undefined {
  const path = join(dataDir, 'images', 'geo.img');
  return existsSync(path) ? path : undefined;
}
