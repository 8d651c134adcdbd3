import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import { mapImage } from '../../adapters/snapshots/shared-image.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import type { NoticeSource } from '../../core/export/export-notice.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { localImagePath } from '../place-data/local-image-path.ts';
import { networkNotices } from './export-sources.ts';

export interface ExportGeo {
  readonly path: string;
  readonly image: GeoImage;
  readonly layers: readonly NoticeSource[];
  readonly ownLayers: readonly string[];
  readonly lists: readonly NoticeSource[];
}

/**
 * A service names the image that it serves, because two builds of one folder would remove each other's image.
 * Otherwise the newest is used, and built if necessary.
 */
export interface ExportPlace extends Pick<Config, 'dataDir' | 'databaseUrl'> {
  readonly geoPath?: string;
}

/** Opens the image of places and networks; an unchanged one is returned from `last`. */
export async function exportGeo(config: ExportPlace, last?: ExportGeo): Promise<ExportGeo> {
  const { dataDir } = config;
  const path = config.geoPath ?? (await localImagePath(dataDir, systemClock.now()));
  if (last !== undefined && last.path === path) return last;
  const image = openGeo(mapImage(path, 'geo'));
  const shipped = new Set(findLayers(dataDir).layers.flatMap(({ id, shipped }) => (shipped ? [id] : [])));
  const layers = image.meta.sources.map(({ id, licence = '', attribution = '' }) => ({ id, licence, attribution }));
  return {
    path,
    image,
    layers,
    ownLayers: layers.flatMap(({ id }) => (shipped.has(id) ? [] : [id])),
    lists: networkNotices(findNetworkLists(dataDir).lists),
  };
}
