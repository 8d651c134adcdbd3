import type { RawRecord } from '../../core/place/layer-record.ts';

/** Chinese-made files write out these country names, as far as the country decides the rest of the record. */
const COUNTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ 中国: 'CN', 香港: 'HK', 中国香港: 'HK', 澳门: 'MO', 中国澳门: 'MO', 台湾: 'TW', 中国台湾: 'TW' }),
);
/** These regions have an ISO 3166-1 code of their own; see docs/data.md, "Country codes". */
const OWN_CODE: ReadonlyMap<string, string> = new Map(Object.entries({ 香港: 'HK', 澳门: 'MO', 台湾: 'TW' }));

const known = (value: string | undefined): string | undefined =>
  value === undefined || value === '' || value === '0' ? undefined : value;

export interface ChinaFields {
  readonly country: string | undefined;
  readonly iso2?: string | undefined;
  readonly region: string | undefined;
  readonly city: string | undefined;
  readonly district?: string | undefined;
}

/**
 * Names of a Chinese-made record stay Chinese and become codes later, against the table of divisions. Hong
 * Kong, Macau and Taiwan take their own country codes. Of other countries only the country is kept, because
 * the rest is not a Latin name.
 */
export function rawFromChina(fields: ChinaFields): RawRecord {
  const region = known(fields.region);
  const named = COUNTRIES.get(known(fields.country) ?? '');
  const own = region === undefined ? undefined : OWN_CODE.get(region.slice(0, 2));
  const country = named === 'CN' && own !== undefined ? own : (named ?? known(fields.iso2));
  if (country !== 'CN') return { country };
  return { country, region, city: known(fields.city), district: known(fields.district) };
}
