import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { type LayerUse, leftOutLines } from '../../core/place/layer-reading.ts';
import type { Said } from '../../core/texts/said.ts';
import { geoImages, usesIn } from './current-geo-image.ts';
import { type DataInputs, findInputs } from './find-inputs.ts';

export interface UsedData extends Pick<DataInputs, 'layers' | 'lists' | 'faults' | 'dataVersion'> {
  readonly leftOut: readonly Said[];
  readonly useOf: (layer: LayerFile) => LayerUse | undefined;
}

export async function usedData(dataDir: string): Promise<UsedData> {
  const { layers, lists, faults, dataVersion, place, network } = findInputs(dataDir);
  const { current } = await geoImages(dataDir).read();
  if (current === undefined || current.place !== place || current.network !== network)
    return { layers, lists, faults, dataVersion, leftOut: [], useOf: () => undefined };
  const uses = usesIn(current);
  return {
    layers,
    lists,
    faults: [...faults, ...uses.flatMap(({ why }) => why ?? [])],
    dataVersion: current.dataVersion,
    leftOut: uses.flatMap(leftOutLines),
    useOf: ({ id, files }) => uses.find((use) => use.id === id && use.file === files[0]),
  };
}
