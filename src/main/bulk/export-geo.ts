import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import { mapImage } from '../../adapters/snapshots/shared-image.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import type { NoticeSource } from '../../core/export/export-notice.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { pinnedImage } from '../place-data/pinned-image.ts';
import { prepareGeoImage } from '../place-data/prepare-geo-image.ts';
import { networkNotices } from './export-sources.ts';

/** Place and network data of a data folder, with the sources that files made of it name. */
export interface ExportGeo {
  readonly path: string;
  readonly image: GeoImage;
  readonly layers: readonly NoticeSource[];
  /** Ids of layers that the operator added. */
  readonly ownLayers: readonly string[];
  readonly lists: readonly NoticeSource[];
}

/**
 * Where files are made from. A service names the image that it serves, because two builds of one folder would
 * remove each other's image; otherwise the newest is used, and built if need be.
 */
export interface ExportPlace extends Pick<Config, 'dataDir' | 'databaseUrl'> {
  readonly geoPath?: string;
}

/** Opens the image of place and network; `last` is returned while it is the same. */
export async function exportGeo(config: ExportPlace, last?: ExportGeo): Promise<ExportGeo> {
  const { dataDir } = config;
  const path = config.geoPath ?? pinnedImage(dataDir) ?? (await prepareGeoImage(config, systemClock.now())).path;
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
