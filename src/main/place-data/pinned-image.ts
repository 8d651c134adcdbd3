import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A finished image is served as it is and nothing is built, for machines that receive images and for tests;
 * undefined without one.
 */
export function pinnedImage(dataDir: string): string | undefined {
  const path = join(dataDir, 'images', 'geo.img');
  return existsSync(path) ? path : undefined;
}
