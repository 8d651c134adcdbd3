import { Gazetteer, isIncomplete, type SubdivisionNames } from '../../core/place/gazetteer.ts';
import type { LayerPart } from './merge-places.ts';

/**
 * Gives the places of world-wide layers without coordinates, such as geofeeds, the names of their regions and the
 * coordinates of their towns, as the other layers have them.
 */
export function completePlaces(layers: readonly LayerPart[], subdivisions: SubdivisionNames): readonly LayerPart[] {
  const isPartial = ({ role, records }: LayerPart): boolean =>
    role === 'world' && records.some((record) => record !== undefined && isIncomplete(record));
  const partial = new Set(layers.filter(isPartial));
  if (partial.size === 0) return layers;
  const incomplete = [...partial].flatMap(({ records }) => records.filter((record) => record !== undefined));
  const gazetteer = new Gazetteer(subdivisions, incomplete.filter(isIncomplete));
  for (const { role, records } of layers)
    if (role === 'world') for (const record of records) if (record !== undefined) gazetteer.add(record);
  return layers.map((part) =>
    partial.has(part) ? { ...part, records: part.records.map((record) => record && gazetteer.complete(record)) } : part,
  );
}
