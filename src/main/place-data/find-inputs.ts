import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { placeTableTexts, rulesDigest } from '../../adapters/layers/tables.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import type { Said } from '../../core/texts/said.ts';
import { type DataFingerprints, fingerprintData } from '../../service/compile/fingerprint-data.ts';

export interface DataInputs extends DataFingerprints {
  readonly layers: readonly LayerFile[];
  readonly lists: readonly NetworkList[];
  readonly faults: readonly Said[];
  readonly versionOf: (isUsed: (layer: LayerFile) => boolean) => string;
}

const SRC = resolve(import.meta.dirname, '../..');

export function findInputs(dataDir: string, more: readonly NetworkList[] = []): DataInputs {
  const { layers, faults } = findLayers(dataDir);
  const listed = findNetworkLists(dataDir);
  const lists = [...new Map([...listed.lists, ...more].map((list) => [list.id, list])).values()];
  const states = layers.map((layer) => ({ layer, files: layer.files.map((file) => statSync(file)) }));
  const ingredients = { rules: rulesDigest(SRC), tables: placeTableTexts(), lists };
  return {
    layers,
    lists,
    faults: [...faults, ...listed.faults],
    ...fingerprintData({ ...ingredients, layers: states }),
    versionOf: (isUsed) =>
      fingerprintData({ ...ingredients, layers: states.filter(({ layer }) => isUsed(layer)) }).dataVersion,
  };
}
