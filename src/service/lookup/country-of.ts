import type { Address } from '../../core/ip/address.ts';
import type { LookupView } from '../ports.ts';

export function countryOf(address: Address, view: Pick<LookupView, 'geoJson'> | undefined): string | undefined {
  const place = view?.geoJson(address);
  return place === undefined ? undefined : (JSON.parse(place) as { readonly country?: string }).country;
}
