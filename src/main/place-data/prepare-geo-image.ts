import { type LayerUse, leftOutLines } from '../../core/place/layer-reading.ts';
import type { Said } from '../../core/texts/said.ts';
import type { PrepareOptions } from './build-geo-image.ts';
import { geoImagePath, geoImages, isWhole, usesIn } from './current-geo-image.ts';
import type { PreparedImage } from './data-thread.ts';
import { findInputs, inputsStamp } from './find-inputs.ts';

/**
 * Ensures that an image of place and network exists for the present layers and lists, and builds it if
 * something changed. Only changed parts are built: new lists leave the place tables as they are.
 * @param dataDir the data folder; images are written to `<dataDir>/images`
 * @param now build time of the image
 * @throws Error when no image can be built; the earlier file stays
 */
export async function prepareGeoImage(
  { dataDir }: { readonly dataDir: string },
  now: number,
  options: PrepareOptions = {},
): Promise<PreparedImage> {
  const stamp = inputsStamp(dataDir);
  const inputs = findInputs(dataDir, options.networkLists ?? []);
  const images = geoImages(dataDir);
  const { current } = await images.read();
  const usable = current !== undefined && isWhole(dataDir, current);
  if (usable && !options.force && current.place === inputs.place && current.network === inputs.network) {
    const { dataVersion } = current;
    // Files were touched, and hold what they held.
    if (current.stamp !== stamp) await images.replace({ ...current, stamp });
    const path = geoImagePath(dataDir, current);
    return { path, dataVersion, rebuilt: false, ...remarksOn(usesIn(current), inputs.faults) };
  }
  const { buildGeoImage } = await import('./build-geo-image.ts');
  const { path, dataVersion, uses } = await buildGeoImage(dataDir, inputs, usable ? current : undefined, now, {
    ...options,
    stamp,
  });
  return { path, dataVersion, rebuilt: true, ...remarksOn(uses, inputs.faults) };
}

const remarksOn = (uses: readonly LayerUse[], faults: readonly Said[]): Pick<PreparedImage, 'faults' | 'leftOut'> => ({
  faults: [...faults, ...uses.flatMap(({ why }) => why ?? [])],
  leftOut: uses.flatMap(leftOutLines),
});
