import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { placeTableTexts, rulesDigest } from '../../adapters/layers/tables.ts';
import { mapImage } from '../../adapters/snapshots/shared-image.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { unixMs } from '../../core/units.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import type { EncodedTables, GeoMeta } from '../../engine/geo/geo-input.ts';
import { GEO_CHECKS, type GeoCheck } from '../../engine/geo/verify-geo.ts';
import { ImageError, verifyChecksums } from '../../engine/image.ts';
import {
  compileData,
  encodeNetworkTables,
  encodePlaceTables,
  requireSound,
} from '../../service/compile/compile-data.ts';
import { type DataFingerprints, fingerprintData } from '../../service/compile/fingerprint-data.ts';
import { geoImagePath, geoImages, isWhole, LAST_STEP } from './current-geo-image.ts';
import { DataThread, type FamilyOutcome, type PreparedImage } from './data-thread.ts';

export interface PrepareOptions {
  /** Lists besides the shipped ones and those in the data folder; the same id replaces. */
  readonly networkLists?: readonly NetworkList[];
  readonly onProgress?: (step: string) => void;
  /** Build even when nothing changed. */
  readonly force?: boolean;
}

/**
 * Makes sure that the image of place and network for the present layers and lists is there, building it when something changed.
 * Only what changed is built again: new lists leave the place tables as they are.
 * @param dataDir the data folder; images go to `<dataDir>/images`
 * @param now for the image's build time
 * @throws Error when no image can be built; the earlier file is left as it was
 */
export async function prepareGeoImage(
  { dataDir }: { readonly dataDir: string },
  now: number,
  options: PrepareOptions = {},
): Promise<PreparedImage> {
  const inputs = findInputs(dataDir, options.networkLists ?? []);
  const images = geoImages(dataDir);
  const { current } = await images.read();
  const usable = current !== undefined && isWhole(dataDir, current);
  if (usable && !options.force && current.place === inputs.place && current.network === inputs.network) {
    const { dataVersion } = current;
    return {
      path: geoImagePath(dataDir, current),
      dataVersion,
      rebuilt: false,
      faults: [...inputs.faults, ...current.faults],
    };
  }
  const samePlace = usable && options.force !== true && current.place === inputs.place;
  const previous = samePlace ? await soundImage(geoImagePath(dataDir, current)) : undefined;
  const step = options.onProgress ?? (() => {});
  const threads = [new DataThread(step), new DataThread(step)] as const;
  try {
    const { tables, faults } = await mergeAndEncode(threads, inputs, previous, step);
    const meta: GeoMeta = {
      dataVersion: inputs.dataVersion,
      builtAt: unixMs(now),
      sources: inputs.layers.map(({ id, version, licence, attribution }) => ({
        id,
        version,
        ...(licence && { licence }),
        ...(attribution && { attribution }),
      })),
      extra: { place: inputs.place, network: inputs.network },
    };
    step('compile');
    const bytes = compileData({ meta, ...tables });
    const file = `geo-${createHash('sha256').update(`${inputs.place} ${inputs.network} ${now}`).digest('hex').slice(0, 16)}.img`;
    const path = geoImagePath(dataDir, { file });
    step(LAST_STEP);
    await checkAndWrite(threads, path, bytes);
    await images.replace({
      file,
      bytes: bytes.length,
      dataVersion: inputs.dataVersion,
      place: inputs.place,
      network: inputs.network,
      faults,
    });
    return { path, dataVersion: inputs.dataVersion, rebuilt: true, faults: [...inputs.faults, ...faults] };
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
  }
}

/** @returns undefined for a damaged file: its tables are built again rather than copied */
async function soundImage(path: string): Promise<GeoImage | undefined> {
  try {
    const geo = openGeo(mapImage(path, 'geo'));
    return verifyChecksums(geo.image).length === 0 ? geo : undefined;
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}

interface MergedData {
  readonly tables: { readonly place: EncodedTables; readonly network: EncodedTables };
  readonly faults: readonly string[];
}

/**
 * Each thread takes the places of one family and then the networks of the other, which comes out about even; while they are at the networks, this one encodes
 * the places.
 * @param previous image whose place tables stay as they are; left out, they are built
 */
async function mergeAndEncode(
  [one, other]: readonly [DataThread, DataThread],
  { layers, lists }: DataInputs,
  previous: GeoImage | undefined,
  step: (step: string) => void,
): Promise<MergedData> {
  const merge = (thread: DataThread, family: 4 | 6, what: 'place' | 'network'): Promise<FamilyOutcome> =>
    thread.merge({ family, layers, lists, place: what === 'place', network: what === 'network' });
  const places = previous === undefined ? Promise.all([merge(one, 4, 'place'), merge(other, 6, 'place')]) : undefined;
  const networks = Promise.all([merge(other, 4, 'network'), merge(one, 6, 'network')]);
  // Places are waited for first; a fault among the networks is met after them.
  networks.catch(() => undefined);
  const [place4, place6] = (await places) ?? [];
  if (places !== undefined) step('encode places');
  const place = encodePlaceTables(place4?.place, place6?.place, previous);
  const [network4, network6] = await networks;
  const network = encodeNetworkTables(network4.network, network6.network);
  return {
    tables: { place, network },
    faults: [...new Set([place4, place6, network4, network6].flatMap((outcome) => outcome?.faults ?? []))],
  };
}

/** Checks the finished bytes in both threads while they are written. Until `geo.json` names the file it is not read: one that is not sound is deleted. */
async function checkAndWrite(
  [one, other]: readonly [DataThread, DataThread],
  path: string,
  bytes: Uint8Array<SharedArrayBuffer>,
): Promise<void> {
  const written = writeDurably(path, bytes);
  const checked = Promise.all([
    one.verify(bytes.buffer, CHECKS_OF_ONE),
    other.verify(bytes.buffer, CHECKS_OF_OTHER),
  ]).then((found) => requireSound(found.flat()));
  const [onDisk, sound] = await Promise.allSettled([written, checked]);
  if (sound.status === 'rejected') {
    rmSync(path, { force: true });
    throw sound.reason;
  }
  if (onDisk.status === 'rejected') throw onDisk.reason;
}

const CHECKS_OF_ONE: readonly GeoCheck[] = ['checksums', 'place IPv4', 'network IPv4', 'network records'];
const CHECKS_OF_OTHER = GEO_CHECKS.filter((check) => !CHECKS_OF_ONE.includes(check));

export interface DataInputs extends DataFingerprints {
  readonly layers: readonly LayerFile[];
  readonly lists: readonly NetworkList[];
  readonly faults: readonly string[];
}

const SRC = resolve(import.meta.dirname, '../..');

/** Finds layers and lists and names their state; reads no data. */
export function findInputs(dataDir: string, more: readonly NetworkList[] = []): DataInputs {
  const { layers, faults } = findLayers(dataDir);
  const listed = findNetworkLists(dataDir);
  const lists = [...new Map([...listed.lists, ...more].map((list) => [list.id, list])).values()];
  const states = layers.map((layer) => ({ layer, files: layer.files.map((file) => statSync(file)) }));
  return {
    layers,
    lists,
    faults: [...faults, ...listed.faults],
    ...fingerprintData({ rules: rulesDigest(SRC), tables: placeTableTexts(), layers: states, lists }),
  };
}
