import { createHash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { placeTableTexts, rulesDigest } from '../../adapters/layers/tables.ts';
import { mapImage, shareImageFile } from '../../adapters/snapshots/shared-image.ts';
import { trimMemory } from '../../adapters/system/trim-memory.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import { release } from '../../core/kit/release.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { unixMs } from '../../core/units.ts';
import { copyTable, encodeNetworkRecords, encodePlaceRecords, encodeTable } from '../../engine/geo/encode-tables.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { type GeoMeta, type GeoTable, NETWORK, PLACE } from '../../engine/geo/geo-meta.ts';
import { GEO_CHECKS, type GeoCheck } from '../../engine/geo/verify-geo.ts';
import { ImageError, imageParts, jsonSection, type SectionInput, verifyChecksums } from '../../engine/image.ts';
import { joinNetworks, joinPlaces, renumber, requireSound } from '../../service/compile/family-tables.ts';
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
 * Only changed parts are built again: new lists leave the place tables as they are.
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
  const { sections, faults } = await mergeAndEncode(
    inputs,
    { previous, together: !usable && process.availableMemory() > ROOM_FOR_TWO },
    step,
  );
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
  const file = `geo-${createHash('sha256').update(`${inputs.place} ${inputs.network} ${now}`).digest('hex').slice(0, 16)}.img`;
  const path = geoImagePath(dataDir, { file });
  step(LAST_STEP);
  const bytes = await write(path, [jsonSection('META', meta), ...sections]);
  await check(path, step);
  await images.replace({
    file,
    bytes,
    dataVersion: inputs.dataVersion,
    place: inputs.place,
    network: inputs.network,
    faults,
  });
  return { path, dataVersion: inputs.dataVersion, rebuilt: true, faults: [...inputs.faults, ...faults] };
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
  readonly sections: readonly SectionInput[];
  readonly faults: readonly string[];
}

/**
 * Two threads at a time, or one. Networks are made before places, and each merge in a thread of its own that ends with it: the memory of one part has gone when the
 * next is made.
 * @param previous image whose place tables stay as they are; undefined: they are built
 * @param together whether both families are made at once: while an image serves, no caller waits for the next one, and look-ups need a processor
 */
async function mergeAndEncode(
  { layers, lists }: DataInputs,
  { previous, together }: { readonly previous: GeoImage | undefined; readonly together: boolean },
  step: (step: string) => void,
): Promise<MergedData> {
  const merge = (family: 4 | 6, table: GeoTable): Promise<FamilyOutcome> =>
    inThread(step, (thread) =>
      thread.merge({ family, layers, lists, place: table === PLACE, network: table === NETWORK }),
    );
  const both = async <Part>(part: (family: 4 | 6) => Promise<Part>): Promise<readonly [Part, Part]> =>
    together ? Promise.all([part(4), part(6)]) : [await part(4), await part(6)];
  const [network4, network6] = await both((family) => merge(family, NETWORK));
  const network = joinNetworks(network4.network!.records, network6.network!.records);
  renumber(network6.network!.ranges, network.moved);
  const networks = [
    ...encodeTable(NETWORK, network4.network!.ranges, network.records.length),
    ...encodeTable(NETWORK, network6.network!.ranges, network.records.length),
    ...encodeNetworkRecords(network.records, new Map([...network6.network!.asNames, ...network4.network!.asNames])),
  ];
  const faults = [...network4.faults, ...network6.faults];
  if (previous !== undefined) return { sections: [...copyTable(previous.image, PLACE).sections, ...networks], faults };
  const [place4, place6] = await both((family) => merge(family, PLACE));
  step('encode places');
  const place = joinPlaces(place4.place!.records, place6.place!.records);
  renumber(place6.place!.ranges, place.moved);
  const count = place.records.offsets.length - 1;
  const ranges = await both((family) =>
    inThread(step, (thread) =>
      thread.encode({ table: PLACE, ranges: (family === 4 ? place4 : place6).place!.ranges, records: count }),
    ),
  );
  return {
    sections: [...ranges.flatMap(({ sections }) => sections), ...encodePlaceRecords(place.records), ...networks],
    faults: [...new Set([...faults, ...place4.faults, ...place6.faults])],
  };
}

/** Free bytes of memory with which both families are made at once: that takes about 500 MB, one after the other 300 MB and some seconds more. */
const ROOM_FOR_TWO = 1.5 * 2 ** 30;

/** Work in a thread that ends with it. */
async function inThread<Result>(
  step: (step: string) => void,
  work: (thread: DataThread) => Promise<Result>,
): Promise<Result> {
  const thread = new DataThread(step);
  try {
    return await work(thread);
  } finally {
    await thread.end();
    // The next part begins at once: memory of this one must be free by then.
    trimMemory();
  }
}

/** Writes the file and gives the memory of the sections back. @returns bytes of the file */
async function write(path: string, sections: readonly SectionInput[]): Promise<number> {
  const parts = imageParts('geo', sections);
  const bytes = parts.reduce((size, part) => size + part.length, 0);
  await writeDurably(path, parts);
  for (const { data } of sections) release(data);
  return bytes;
}

/** Checks the finished file in two threads. Until `geo.json` names it it is not read: one that is not sound is deleted. */
async function check(path: string, step: (step: string) => void): Promise<void> {
  try {
    const image = shareImageFile(path);
    const verify = (checks: readonly GeoCheck[]) => inThread(step, (thread) => thread.verify(image, checks));
    requireSound((await Promise.all([verify(CHECKS_OF_ONE), verify(CHECKS_OF_OTHER)])).flat());
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
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
