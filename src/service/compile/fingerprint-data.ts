import { createHash } from 'node:crypto';
import { type NetworkList, setsPlace } from '../../core/place/network-list.ts';

/**
 * Parts of a layer that the rules read. A fingerprint covers every member that its finder set, in that order.
 * `holders`: a layer with it is compiled by the AS numbers of the other layers too.
 */
export interface LayerInput {
  readonly id: string;
  readonly version: string;
  readonly gives?: 'place' | 'network';
  readonly holders?: readonly number[];
}

export interface LayerState {
  readonly layer: LayerInput;
  readonly files: readonly { readonly size: number; readonly mtimeMs: number }[];
}

export interface FingerprintInput {
  readonly rules: string;
  readonly tables: readonly string[];
  readonly layers: readonly LayerState[];
  readonly lists: readonly NetworkList[];
}

/**
 * - `place`: fingerprints of the inputs of each table are valid on this machine alone.
 * - `dataVersion`: hashes the ids and dates of the layers and the lists' versions; machines with equal data have
 *   equal ones.
 */
export interface DataFingerprints {
  readonly place: string;
  readonly network: string;
  readonly dataVersion: string;
}

export function fingerprintData({ rules, tables, layers, lists }: FingerprintInput): DataFingerprints {
  const shipped = tables.map(digest);
  const versions = lists.map(versionOf);
  const allBut = (part: 'place' | 'network'): unknown[] =>
    layers.filter(({ layer }) => layer.gives !== part).map(stateOf);
  const stable = digest([
    rules,
    shipped,
    versions,
    layers.map(({ layer, files }) => [layer.id, layer.version, files.map(({ size }) => size)]),
  ]);
  return {
    place: digest([
      rules,
      shipped,
      layers.some(({ layer }) => layer.holders !== undefined) ? layers.map(stateOf) : allBut('network'),
      lists.filter(setsPlace).map(versionOf),
    ]),
    network: digest([rules, versions, allBut('place')]),
    dataVersion: [...layers.map(({ layer }) => `${layer.id}-${layer.version}`), stable.slice(0, 8)].join('+'),
  };
}

const versionOf = ({ id, version, family, effect, priority, asns, prefixes }: NetworkList): unknown => [
  id,
  version,
  family,
  effect,
  priority,
  asns?.length,
  prefixes?.length,
];

const stateOf = ({ layer, files }: LayerState): unknown => [layer, files.map(({ size, mtimeMs }) => [size, mtimeMs])];

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
