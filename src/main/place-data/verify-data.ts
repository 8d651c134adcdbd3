import { join } from 'node:path';
import { mapImage } from '../../adapters/snapshots/published-images.ts';
import { fault } from '../../core/texts/said.ts';
import { openGeo } from '../../engine/geo/geo-image.ts';
import { verifyGeo } from '../../engine/geo/network-records.ts';
import { geoImagePath, geoImages } from './current-geo-image.ts';

export interface DataReport {
  readonly path: string;
  readonly data_version: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

export async function verifyData(dataDir: string): Promise<DataReport> {
  const { current } = await geoImages(dataDir).read();
  if (current === undefined)
    throw fault('no image in {folder}: run `pulse data build`', { folder: join(dataDir, 'images') });
  const path = geoImagePath(dataDir, current);
  const image = openGeo(mapImage(path, 'geo'));
  return {
    path,
    data_version: image.meta.dataVersion,
    counts: {
      bytes: image.image.buffer.byteLength,
      'place records': image.places.count,
      'network records': image.networks.count,
    },
    faults: verifyGeo(image),
  };
}
