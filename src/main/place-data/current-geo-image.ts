import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CurrentFiles, type PointerFormat } from '../../adapters/system/current-files.ts';
import { FileFolder } from '../../adapters/system/files.ts';
import { type LayerReading, type LayerUse, layerUses } from '../../core/place/layer-reading.ts';

export interface CurrentGeoImage {
  readonly file: string;
  readonly bytes: number;
  readonly dataVersion: string;
  readonly place: string;
  readonly network: string;
  readonly stamp: string;
  readonly readings: Readonly<Record<'place' | 'network', readonly LayerReading[]>>;
}

export const LAST_STEP = 'verify and write';

const isNamed = (image: Partial<CurrentGeoImage> | undefined): image is CurrentGeoImage =>
  typeof image?.file === 'string' && isImageName(image.file) && Array.isArray(image.readings?.place);
const isImageName = (name: string): boolean => /^geo-[0-9a-f]+\.img$/.test(name);

const FORMAT: PointerFormat<CurrentGeoImage> = {
  name: 'geo.json',
  parse(json) {
    const { before, ...current } = Object(json) as Partial<CurrentGeoImage> & {
      readonly before?: Partial<CurrentGeoImage>;
    };
    return isNamed(current) ? { current, ...(isNamed(before) && { before }) } : undefined;
  },
  print: ({ current, before }) => `${JSON.stringify({ ...current, before }, null, 2)}\n`,
  files: ({ file }) => [file],
  owns: isImageName,
};

export const geoImages = (dataDir: string): CurrentFiles<CurrentGeoImage> =>
  new CurrentFiles(new FileFolder(join(dataDir, 'images')), FORMAT);

export const usesIn = ({ readings }: Pick<CurrentGeoImage, 'readings'>): readonly LayerUse[] =>
  layerUses([...readings.place, ...readings.network]);

export const inputFolders = (dataDir: string): readonly string[] =>
  ['layers', 'layer-updates', 'network'].map((folder) => join(dataDir, folder));

export const geoImagePath = (dataDir: string, { file }: Pick<CurrentGeoImage, 'file'>): string =>
  join(dataDir, 'images', file);

/** Checks only that the file exists at full length; `prepareGeoImage` decides whether it is up to date. */
export function isWhole(dataDir: string, image: CurrentGeoImage): boolean {
  const path = geoImagePath(dataDir, image);
  return existsSync(path) && statSync(path).size === image.bytes;
}

/**
 * A finished image is served as it is and nothing is built, for machines that receive images and for tests;
 * undefined without one.
 */
export function pinnedImage(dataDir: string): string | undefined {
  const path = join(dataDir, 'images', 'geo.img');
  return existsSync(path) ? path : undefined;
}

/** The image that is there, of whichever inputs: a pinned one, or the last that was finished. */
export async function readyImage(dataDir: string): Promise<{ path: string; version: string } | undefined> {
  const pinned = pinnedImage(dataDir);
  if (pinned !== undefined) return { path: pinned, version: pinned };
  const { current } = await geoImages(dataDir).read();
  if (current === undefined || !isWhole(dataDir, current)) return undefined;
  return { path: geoImagePath(dataDir, current), version: current.file };
}
