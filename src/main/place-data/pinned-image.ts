import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** An image under this name is served as it is and nothing is built: for machines that get finished images, and for tests. */
export function pinnedImage(dataDir: string): string | undefined {
  const path = join(dataDir, 'images', 'geo.img');
  return existsSync(path) ? path : undefined;
}
