import { joinStretches, type ValuedStretch } from '../../core/export/join-stretches.ts';
import type { GeoSchema } from '../../core/export/mmdb-schema.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import { CutPoints } from '../../core/ip/cut-points.ts';
import { addressAfter, compareAddresses } from '../../core/ip/prefix.ts';
import { isReserved, SPECIAL_PURPOSE_BLOCKS } from '../../core/ip/special-purpose.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';

export interface GeoEntry {
  readonly prefix: Prefix;
  readonly record: number;
}

/**
 * Yields the places or AS numbers of all public space as the fewest disjoint prefixes, ascending, IPv4 first.
 * Each says what a lookup of any address in it says.
 */
export function* geoEntries(geo: GeoImage, schema: GeoSchema, families: readonly (4 | 6)[]): Generator<GeoEntry> {
  for (const { prefix, value } of joinStretches(stretches(geo, schema, families))) yield { prefix, record: value };
}

function* stretches(geo: GeoImage, schema: GeoSchema, families: readonly (4 | 6)[]): Generator<ValuedStretch> {
  const reserved = new CutPoints(
    SPECIAL_PURPOSE_BLOCKS.map(({ family, words: [w0, w1, w2, w3], bits }) => ({ family, w0, w1, w2, w3, bits })),
  );
  const value = schema === 'city' ? (at: Address) => geo.placeId(at) : (at: Address) => asnAt(geo, at);
  const reach = schema === 'city' ? (at: Address) => geo.placeReach(at) : (at: Address) => geo.networkReach(at);
  for (const family of families)
    for (let at: Address | undefined = { family, w0: 0, w1: 0, w2: 0, w3: 0 }; at !== undefined; ) {
      const cut = reserved.lastAlike(at);
      const alike = reach(at);
      const last: Address = cut !== undefined && compareAddresses(cut, alike) < 0 ? cut : alike;
      const found = value(at);
      if (found !== 0 && !isReserved(at)) yield { first: at, last, value: found, network: 0 };
      at = addressAfter(last);
    }
}

const asnAt = (geo: GeoImage, address: Address): number => geo.networkFacts(geo.networkId(address)).asn ?? 0;
