import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImageFile } from '../../adapters/snapshots/read-image-file.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/verify-geo.ts';

export interface DataReport {
  readonly path: string;
  readonly data_version: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

/**
 * Checks the current image in full.
 * @throws Error when there is none or it cannot be opened at all
 */
export async function verifyData(dataDir: string): Promise<DataReport> {
  const folder = join(dataDir, 'images');
  let file: string;
  try {
    file = (JSON.parse(readFileSync(join(folder, 'geo.json'), 'utf8')) as { file: string }).file;
  } catch (error) {
    throw new Error(`no image in ${folder}: run \`pulse data build\``, { cause: error });
  }
  const path = join(folder, file);
  const image = openGeo(await readImageFile(path, 'geo'));
  return {
    path,
    data_version: image.meta.dataVersion,
    counts: { bytes: image.image.buffer.byteLength, 'place records': image.places.count, 'network records': image.networks.count },
    faults: verifyGeo(image),
  };
}
