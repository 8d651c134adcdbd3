import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { placeTableTexts, rulesDigest } from '../../adapters/layers/tables.ts';
import { folderStamp } from '../../adapters/system/files.ts';
import { type LayerUse, leftOutLines } from '../../core/place/layer-reading.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import type { Said } from '../../core/texts/said.ts';
import { type DataFingerprints, fingerprintData } from '../../service/compile/fingerprint-data.ts';
import { geoImages, inputFolders, usesIn } from './current-geo-image.ts';

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

const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * The stamp changes with the names, sizes and times of the inputs of an image, with the packages that ship
 * layers and with the rules. Equal stamps mean equal inputs; reading a megabyte of lists takes fifty times as long.
 */
export function inputsStamp(dataDir: string): string {
  const { text } = folderStamp([...inputFolders(dataDir), join(ROOT, 'data')]);
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  const parts = [text, rulesDigest(join(ROOT, 'src')), JSON.stringify(dependencies)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

interface UsedData extends Pick<DataInputs, 'layers' | 'lists' | 'faults' | 'dataVersion'> {
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
