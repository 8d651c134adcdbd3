import { release } from '../../core/kit/release.ts';
import type { LayerReading } from '../../core/place/layer-reading.ts';
import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { LayerRole } from '../../core/place/merge-place.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { type Said, said, sentenceOf } from '../../core/texts/said.ts';
import type { FamilyTables } from '../../service/compile/family-tables.ts';
import { mergeNetworks } from '../../service/compile/merge-networks.ts';
import { completePlaces, type LayerPart, mergePlaces } from '../../service/compile/merge-places.ts';
import { ownSpace, type Routes } from '../../service/compile/own-space.ts';
import { type LayerData, LayerFileError } from './layer-data.ts';
import type { LayerFile } from './layer-file.ts';
import { readLayer } from './read-layer.ts';
import { placeTables, subdivisionNames } from './tables.ts';

export interface FamilyRequest {
  readonly family: 4 | 6;
  readonly layers: readonly LayerFile[];
  readonly lists: readonly NetworkList[];
  readonly place: boolean;
  readonly network: boolean;
}

export interface FamilyResult extends FamilyTables {
  readonly readings: readonly LayerReading[];
}

/** Reads every layer's part of one family and merges it. A layer that cannot be read is named among the faults and left out; the others are used. */
export function readFamily(request: FamilyRequest, onStep: (step: Said) => void): FamilyResult {
  const { family } = request;
  const readings: LayerReading[] = [];
  const places: LayerPart[] = [];
  const networks: LayerPart[] = [];
  let known: readonly Routes[] | undefined;
  const routes = (): readonly Routes[] => {
    known ??= routesOf(request.layers, family);
    return known;
  };
  for (const layer of request.layers) {
    if ((layer.gives === 'place' && !request.place) || (layer.gives === 'network' && !request.network)) continue;
    onStep(said('read {layer} IPv{family}', { layer: layer.id, family }));
    let gives = false;
    let foreign = 0;
    let refused: Said | undefined;
    let parts: readonly LayerData[] = [];
    try {
      const data = readLayer(layer, family);
      parts = data.parts;
      for (const { v4, v6, records } of parts) {
        const ranges = family === 4 ? v4 : v6;
        const [ofPlace, ofNetwork] = [saysPlace(records), saysNetwork(records)];
        gives ||= ofPlace || ofNetwork;
        if (ranges === undefined) continue;
        if (ofPlace) {
          const held = layer.holders && ownSpace(family, ranges, layer.holders, routes());
          foreign += held?.foreign ?? 0;
          places.push({
            role: data.role,
            stated: data.stated,
            needsSecond: layer.needsSecond === true,
            ranges: held?.own ?? ranges,
            records,
          });
        }
        if (ofNetwork) networks.push({ role: 'world' satisfies LayerRole, ranges, records });
      }
    } catch (error) {
      if (!(error instanceof LayerFileError)) throw error;
      refused = sentenceOf(error);
    }
    readings.push({
      id: layer.id,
      file: layer.files[0]!,
      gives,
      ...(refused !== undefined && { refused }),
      leftOutForeign: foreign,
      leftOutRows: parts.reduce((rows, { leftOut }) => rows + leftOut.rows, 0),
      leftOutCountries: countriesOf(parts),
    });
  }
  const tables = request.place ? placeTables() : undefined;
  if (tables) onStep(said('merge places IPv{family}', { family }));
  const place = tables && mergePlaces(family, completePlaces(places, subdivisionNames()), request.lists, tables);
  if (request.network) onStep(said('merge networks IPv{family}', { family }));
  const network = request.network ? mergeNetworks(family, networks, request.lists) : undefined;
  for (const { ranges } of [...places, ...networks, ...(known ?? [])]) {
    release(ranges.starts);
    release(ranges.ids);
  }
  return { ...(place && { place }), ...(network && { network }), readings };
}

/** AS numbers of the layers, most trusted first. A layer that cannot be read is reported where networks are compiled. */
function routesOf(layers: readonly LayerFile[], family: 4 | 6): readonly Routes[] {
  return layers
    .filter(({ gives }) => gives !== 'place')
    .flatMap((layer) => {
      try {
        return readLayer(layer, family).parts;
      } catch (error) {
        if (error instanceof LayerFileError) return [];
        throw error;
      }
    })
    .flatMap(({ v4, v6, records }) => {
      const ranges = family === 4 ? v4 : v6;
      return ranges === undefined ? [] : [{ ranges, records }];
    });
}

function countriesOf(parts: readonly LayerData[]): Readonly<Record<string, number>> {
  const sum = new Map<string, number>();
  for (const { leftOut } of parts)
    for (const [text, count] of leftOut.countries) sum.set(text, (sum.get(text) ?? 0) + count);
  return Object.fromEntries(sum);
}

const saysPlace = (records: readonly (LayerRecord | undefined)[]): boolean =>
  records.some((record) => record?.country !== undefined || record?.unlocated === true);
const saysNetwork = (records: readonly (LayerRecord | undefined)[]): boolean =>
  records.some(
    (record) =>
      record !== undefined &&
      (record.asn !== undefined || record.usage !== undefined || record.hosting === true || record.mobile === true),
  );
