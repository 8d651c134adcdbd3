import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { LayerFile } from '../../adapters/layers/layer-file.ts';
import { mapImage, shareImageFile } from '../../adapters/snapshots/published-images.ts';
import { dropPages } from '../../adapters/system/map-file.ts';
import { trimMemory } from '../../adapters/system/own-process.ts';
import { writeDurably } from '../../adapters/system/write-durably.ts';
import { release } from '../../core/kit/release.ts';
import { joinFamilies, type LayerReading, type LayerUse } from '../../core/place/layer-reading.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { type Said, said } from '../../core/texts/said.ts';
import { unixMs } from '../../core/units.ts';
import { copyTable, encodeNetworkRecords, encodePlaceRecords, encodeTable } from '../../engine/geo/encode-tables.ts';
import { type GeoImage, type GeoMeta, type GeoTable, NETWORK, openGeo, PLACE } from '../../engine/geo/geo-image.ts';
import { GEO_CHECKS, type GeoCheck } from '../../engine/geo/network-records.ts';
import { ImageError, imageParts, jsonSection, type SectionInput, verifyChecksums } from '../../engine/image.ts';
import { joinNetworks, joinPlaces, renumber, requireNoFaults } from '../../service/compile/family-tables.ts';
import { type CurrentGeoImage, geoImagePath, geoImages, LAST_STEP, usesIn } from './current-geo-image.ts';
import { DataThread, type FamilyOutcome } from './data-thread.ts';
import type { DataInputs } from './find-inputs.ts';

export interface PrepareOptions {
  /** Lists besides the shipped ones and those in the data folder. A list replaces the one with the same id. */
  readonly networkLists?: readonly NetworkList[];
  readonly onProgress?: (step: Said) => void;
  readonly force?: boolean;
}

export interface BuiltImage {
  readonly path: string;
  readonly dataVersion: string;
  readonly uses: readonly LayerUse[];
}

export async function buildGeoImage(
  dataDir: string,
  inputs: DataInputs,
  current: CurrentGeoImage | undefined,
  now: number,
  options: PrepareOptions & { readonly stamp: string },
): Promise<BuiltImage> {
  const samePlace = options.force !== true && current?.place === inputs.place;
  const previous = samePlace ? await soundImage(geoImagePath(dataDir, current!)) : undefined;
  const step = options.onProgress ?? (() => {});
  const { sections, readings } = await mergeAndEncode(
    inputs,
    { previous, together: current === undefined && process.availableMemory() > ROOM_FOR_TWO },
    step,
  );
  const kept = { place: readings.place ?? current?.readings.place ?? [], network: readings.network };
  const uses = usesIn({ readings: kept });
  const isUsed = ({ id, files }: LayerFile): boolean =>
    uses.some((use) => use.state === 'used' && use.id === id && use.file === files[0]);
  const dataVersion = inputs.versionOf(isUsed);
  const meta: GeoMeta = {
    dataVersion,
    builtAt: unixMs(now),
    sources: inputs.layers.filter(isUsed).map(({ id, version, licence, attribution }) => ({
      id,
      version,
      ...(licence && { licence }),
      ...(attribution && { attribution }),
    })),
    extra: { place: inputs.place, network: inputs.network },
  };
  const file = `geo-${createHash('sha256').update(`${inputs.place} ${inputs.network} ${now}`).digest('hex').slice(0, 16)}.img`;
  const path = geoImagePath(dataDir, { file });
  step(said(LAST_STEP));
  const bytes = await write(path, [jsonSection('META', meta), ...sections]);
  if (previous !== undefined) dropPages(previous.image.buffer);
  await check(path, step);
  await geoImages(dataDir).replace({
    file,
    bytes,
    dataVersion,
    place: inputs.place,
    network: inputs.network,
    stamp: options.stamp,
    readings: kept,
  });
  return { path, dataVersion, uses };
}

async function soundImage(path: string): Promise<GeoImage | undefined> {
  try {
    const geo = openGeo(mapImage(path, 'geo'));
    const isSound = verifyChecksums(geo.image).length === 0;
    dropPages(geo.image.buffer);
    return isSound ? geo : undefined;
  } catch (error) {
    if (error instanceof ImageError) return undefined;
    throw error;
  }
}

interface MergedData {
  readonly sections: readonly SectionInput[];
  /** `place` is undefined if the place tables of the previous image were copied. */
  readonly readings: { readonly place: readonly LayerReading[] | undefined; readonly network: readonly LayerReading[] };
}

/**
 * Merges and encodes the parts of the image, two at a time or one. Each part has a thread of its own, so that
 * its memory is free before the next part begins. The small parts come last, during the end of the largest,
 * which takes the most memory.
 * @param previous image whose place tables are copied; undefined to build them
 * @param together makes two parts at once. While an image is being served, no caller waits for the next one,
 * and lookups need a processor.
 */
async function mergeAndEncode(
  { layers, lists }: DataInputs,
  { previous, together }: { readonly previous: GeoImage | undefined; readonly together: boolean },
  step: (step: Said) => void,
): Promise<MergedData> {
  const merge = (table: GeoTable, family: 4 | 6) => (): Promise<FamilyOutcome> =>
    inThread(step, (thread) =>
      thread.merge({ family, layers, lists, place: table === PLACE, network: table === NETWORK }),
    );
  const places = previous === undefined ? [merge(PLACE, 4), merge(PLACE, 6)] : [];
  const outcomes = await inTurns(together ? 2 : 1, [...places, merge(NETWORK, 4), merge(NETWORK, 6)]);
  const [network4, network6] = outcomes.slice(-2) as [FamilyOutcome, FamilyOutcome];
  const network = joinNetworks(network4.network!.records, network6.network!.records);
  renumber(network6.network!.ranges, network.moved);
  const networks = [
    ...encodeTable(NETWORK, network4.network!.ranges, network.records.length),
    ...encodeTable(NETWORK, network6.network!.ranges, network.records.length),
    ...encodeNetworkRecords(network.records, new Map([...network6.network!.asNames, ...network4.network!.asNames])),
  ];
  const readingsOf = (parts: readonly FamilyOutcome[]): readonly LayerReading[] =>
    joinFamilies(parts.flatMap(({ readings }) => readings));
  const readings = {
    place: previous === undefined ? readingsOf(outcomes.slice(0, 2)) : undefined,
    network: readingsOf([network4, network6]),
  };
  if (previous !== undefined)
    return { sections: [...copyTable(previous.image, PLACE).sections, ...networks], readings };
  step(said('encode places'));
  const [place4, place6] = outcomes.map(({ place }) => place!) as [PlaceTables, PlaceTables];
  const { records, moved } = joinPlaces(place4.records, place6.records);
  renumber(place6.ranges, moved);
  const encode =
    ({ ranges }: PlaceTables) =>
    () =>
      inThread(step, (thread) => thread.encode({ table: PLACE, ranges, records: records.offsets.length - 1 }));
  const encoded = await inTurns(together ? 2 : 1, [encode(place4), encode(place6)]);
  return {
    sections: [...encoded.flatMap(({ sections }) => sections), ...encodePlaceRecords(records), ...networks],
    readings,
  };
}

type PlaceTables = NonNullable<FamilyOutcome['place']>;

async function inTurns<Result>(atOnce: number, works: readonly (() => Promise<Result>)[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  let begun = 0;
  const take = async (): Promise<void> => {
    for (let place = begun++; place < works.length; place = begun++) results[place] = await works[place]!();
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return results;
}

/**
 * Free memory in bytes above which both families are made at once. That takes about 480 MB; one after the
 * other takes 400 MB and some seconds longer.
 */
const ROOM_FOR_TWO = 1.5 * 2 ** 30;

async function inThread<Result>(
  step: (step: Said) => void,
  work: (thread: DataThread) => Promise<Result>,
): Promise<Result> {
  const thread = new DataThread(step);
  try {
    return await work(thread);
  } finally {
    await thread.end();
    // The next part begins at once and needs the memory of this one.
    trimMemory();
  }
}

async function write(path: string, sections: readonly SectionInput[]): Promise<number> {
  const parts = imageParts('geo', sections);
  const bytes = parts.reduce((size, part) => size + part.length, 0);
  await writeDurably(path, parts);
  for (const { data } of sections) release(data);
  return bytes;
}

/**
 * Checks the finished file in two threads and deletes it if it is damaged. Nothing reads it before `geo.json`
 * names it.
 */
async function check(path: string, step: (step: Said) => void): Promise<void> {
  try {
    const image = shareImageFile(path);
    const verify = (checks: readonly GeoCheck[]) => inThread(step, (thread) => thread.verify(image, checks));
    requireNoFaults((await Promise.all([verify(CHECKS_OF_ONE), verify(CHECKS_OF_OTHER)])).flat());
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

const CHECKS_OF_ONE: readonly GeoCheck[] = ['checksums', 'place IPv4', 'network IPv4', 'network records'];
const CHECKS_OF_OTHER = GEO_CHECKS.filter((check) => !CHECKS_OF_ONE.includes(check));
