import { feedById, publishedSources } from '../../adapters/feeds/catalogue.ts';
import { findLayers } from '../../adapters/layers/find-layers.ts';
import { findNetworkLists } from '../../adapters/layers/find-network-lists.ts';
import { mapImage } from '../../adapters/snapshots/published-images.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import type { Config } from '../../config.ts';
import { type NoticeSource, noticeLines } from '../../core/export/export-notice.ts';
import { type ExportDetail, editionOf, type GeoSchema, type MmdbSchema } from '../../core/export/export-record.ts';
import { TEXT_FORMATS, type TextFormatName, type TextInput } from '../../core/export/text-formats.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import type { LiveSource } from '../../engine/evidence/evidence-delta.ts';
import { type GeoImage, openGeo } from '../../engine/geo/geo-image.ts';
import { anonymityValue, riskValue } from '../../engine/mmdb/city-value.ts';
import { writeMmdb } from '../../engine/mmdb/write-mmdb.ts';
import { localImagePath } from '../place-data/local-image-path.ts';

export type ExportFormat = 'mmdb' | TextFormatName;

export const EXPORT_FORMATS: readonly ExportFormat[] = ['mmdb', ...(Object.keys(TEXT_FORMATS) as TextFormatName[])];

type RiskSchema = Exclude<MmdbSchema, GeoSchema>;

export const exportDetailOf = (format: ExportFormat, schema: MmdbSchema = 'pulse'): ExportDetail =>
  format !== 'mmdb' ? TEXT_FORMATS[format].carries : schema === 'anonymous-ip' ? 'anonymity' : 'record';

export interface FileContent extends TextInput {
  readonly schema: RiskSchema;
  readonly databaseType?: string | undefined;
}

export function* exportChunks(format: ExportFormat, content: FileContent): Generator<Uint8Array> {
  const { entries, notice, schema, databaseType = editionOf(schema) } = content;
  if (format === 'mmdb') {
    const ipVersion = notice.families.includes(6) ? 6 : 4;
    const description = noticeLines(notice).join('\n');
    yield* writeMmdb({
      entries,
      recordValue: schema === 'pulse' ? riskValue : anonymityValue,
      ipVersion,
      buildEpoch: Math.floor(notice.moment / 1000),
      databaseType,
      description,
    });
  } else yield* encoded(TEXT_FORMATS[format].write(content));
}

const PIECE = 1 << 18;

export function* encoded(texts: Iterable<string>): Generator<Uint8Array> {
  let held = '';
  for (const text of texts) {
    held += text;
    if (held.length < PIECE) continue;
    yield Buffer.from(held);
    held = '';
  }
  if (held !== '') yield Buffer.from(held);
}

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

interface ExportSources {
  readonly published: readonly NoticeSource[];
  readonly own: boolean;
  /** These may not be passed on, and nobody asked for them. */
  readonly leftOut: readonly NoticeSource[];
  readonly counts: (source: string) => boolean;
}

/** @param includeFetchOnly whether sources count that every deployment may fetch and nobody may copy */
export function exportSources(sources: readonly LiveSource[], includeFetchOnly: boolean): ExportSources {
  const lists = new Set(publishedSources());
  const feeds = sources
    .flatMap(({ id }) => (lists.has(id) ? [feedById(id)!] : []))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const refused = includeFetchOnly ? [] : feeds.filter(({ redistribution }) => redistribution === 'fetch-only');
  const ids = new Set(refused.map(({ id }) => id));
  return {
    published: feeds.filter(({ id }) => !ids.has(id)).map(noticeOf),
    own: sources.some(({ id }) => !lists.has(id)),
    leftOut: refused.map(noticeOf),
    counts: (source) => !ids.has(source),
  };
}

const noticeOf = ({ id, licence, attribution }: Feed): NoticeSource => ({ id, licence, attribution });

/** Any of these lists may have set a signal or a usage code. */
export const networkNotices = (lists: readonly { readonly id: string }[]): readonly NoticeSource[] =>
  lists.flatMap(({ id }) => feedById(id) ?? []).map(noticeOf);
