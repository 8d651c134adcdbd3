import type { Address } from '../../core/ip/address.ts';
import type { LookupView } from '../ports.ts';

/** Undefined for an unknown country, or while no data is loaded. */
export function countryOf(address: Address, view: Pick<LookupView, 'geoJson'> | undefined): string | undefined {
  const place = view?.geoJson(address);
  return place === undefined ? undefined : (JSON.parse(place) as { readonly country?: string }).country;
}
