import type { MergedNetwork } from '../core/place/network-facts.ts';
import { compileGeo } from '../engine/geo/compile-geo.ts';
import type { GeoImage } from '../engine/geo/geo-image.ts';
import { openGeo } from '../engine/geo/geo-image.ts';
import type { GeoMeta, NetworkTables, PlaceTables } from '../engine/geo/geo-input.ts';
import { verifyGeo } from '../engine/geo/verify-geo.ts';
import type { RangeSet4, RangeSet6 } from '../engine/ranges.ts';
import type { RangeSet } from './build-data-ranges.ts';

/** What one family's layers and lists merged to; a part that is to be taken from the previous image is absent. */
export interface FamilyTables {
  readonly place?: { readonly ranges: RangeSet; readonly records: readonly string[] };
  readonly network?: { readonly ranges: RangeSet; readonly records: readonly MergedNetwork[] };
}

export interface BuildDataInput {
  readonly meta: GeoMeta;
  readonly v4: FamilyTables;
  readonly v6: FamilyTables;
  /** Image whose tables stand in for the absent parts. */
  readonly previous?: GeoImage;
  /** Called with the name of each step as it starts. */
  readonly onStep?: (step: string) => void;
}

/**
 * Compiles merged tables into an image and checks the finished bytes before anybody sees them.
 * @returns the file's bytes
 * @throws Error naming the faults when the verifier finds any, or when a part is absent and there is no previous image
 */
export function buildData({ meta, v4, v6, previous, onStep }: BuildDataInput): Uint8Array<ArrayBuffer> {
  onStep?.('compile');
  const place = v4.place && v6.place ? joinPlaces(v4.place, v6.place) : reuse(previous);
  const network = v4.network && v6.network ? joinNetworks(v4.network, v6.network) : reuse(previous);
  const bytes = compileGeo({ meta, place, network });
  onStep?.('verify');
  const faults = verifyGeo(openGeo(bytes.buffer));
  if (faults.length > 0) throw new Error(`the compiled image is not sound: ${faults.slice(0, 5).join('; ')}`);
  return bytes;
}

function reuse(previous: GeoImage | undefined): { readonly reuse: GeoImage } {
  if (previous === undefined) throw new Error('a part of the data was not built and there is no earlier image to take it from');
  return { reuse: previous };
}

/** One set of records for both families: equal texts share a number. */
function joinPlaces(a: NonNullable<FamilyTables['place']>, b: NonNullable<FamilyTables['place']>): PlaceTables {
  const { records, ids } = joinRecords(a.records, b.records, (text) => text, b.ranges.ids);
  return { ranges4: a.ranges as RangeSet4, ranges6: { ...b.ranges, ids } as RangeSet6, records };
}

function joinNetworks(a: NonNullable<FamilyTables['network']>, b: NonNullable<FamilyTables['network']>): NetworkTables {
  const { records, ids } = joinRecords(a.records, b.records, (record) => JSON.stringify(record), b.ranges.ids);
  return { ranges4: a.ranges as RangeSet4, ranges6: { ...b.ranges, ids } as RangeSet6, records };
}

function joinRecords<T>(first: readonly T[], second: readonly T[], keyOf: (record: T) => string, secondIds: Uint32Array): { records: T[]; ids: Uint32Array } {
  const records = [...first];
  const byKey = new Map(first.map((record, id) => [keyOf(record), id]));
  const moved = Uint32Array.from(second, (record) => byKey.get(keyOf(record)) ?? records.push(record) - 1);
  return { records, ids: secondIds.map((id) => moved[id]!) };
}
