import { basename } from 'node:path';
import type { LayerSeen } from '../../apps/metrics/render-metrics.ts';
import type { Config } from '../../config.ts';
import { geoImages, usesIn } from '../place-data/current-geo-image.ts';

export async function layersSeen({ dataDir }: Pick<Config, 'dataDir'>): Promise<readonly LayerSeen[]> {
  const { current } = await geoImages(dataDir).read();
  return (current === undefined ? [] : usesIn(current)).map(
    ({ id, file, state, leftOutRows, leftOutForeign = 0, leftOutCountries }) => ({
      layer: id,
      file: basename(file),
      used: state === 'used',
      leftOut: Object.values(leftOutCountries).reduce((sum, count) => sum + count, leftOutRows + leftOutForeign),
    }),
  );
}
