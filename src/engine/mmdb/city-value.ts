import type { Geo } from '../../contract/documents.ts';
import type { ExportRecord } from '../../core/export/export-record.ts';
import { cityCode } from '../../core/place/divisions.ts';
import { MmdbNumber, type MmdbValue } from './mmdb-data.ts';

export function riskValue({ risk, evidence_state, network }: ExportRecord): MmdbValue {
  const { score, level, signals } = risk;
  return {
    risk: { score: new MmdbNumber('uint16', score), level, ...(signals && { signals }) },
    evidence_state,
    ...(network && {
      network: {
        ...(network.asn !== undefined && { asn: new MmdbNumber('uint32', network.asn) }),
        ...(network.usage_type !== undefined && { usage_type: network.usage_type }),
      },
    }),
  };
}

export const anonymityValue = ({ anonymity = [] }: ExportRecord): MmdbValue =>
  Object.fromEntries(anonymity.map((field) => [field, true as const]));

export const asnValue = (asn: number, name: string | undefined): MmdbValue => ({
  autonomous_system_number: new MmdbNumber('uint32', asn),
  autonomous_system_organization: name,
});

export interface PlaceNames {
  readonly country: (code: string) => Names;
  readonly continent: (code: string) => Names | undefined;
  /** The code is GB/T 2260 and the name Chinese. */
  readonly division: (code: string) => string | undefined;
}

type Names = { readonly en: string; readonly 'zh-CN': string | undefined };

export const PLACE_LANGUAGES = ['en', 'zh-CN'] as const;

/** Follows MaxMind's fields, with the division's code and its district for mainland China. */
export function cityValue(geo: Geo, names: PlaceNames): MmdbValue {
  const { continent, country, subdivision, admin_code: code, region, city, district, tz, lat, lon } = geo;
  const chinese = (level: string | undefined): string | undefined =>
    level === undefined ? undefined : names.division(level);
  const named = (en: string, level: string | undefined) => ({ names: { en, 'zh-CN': chinese(level) } });
  return {
    city: city === undefined ? undefined : named(city, code && cityCode(code)),
    continent: continent && { code: continent, names: names.continent(continent) },
    country: country && { iso_code: country, names: names.country(country) },
    location:
      lat === undefined && lon === undefined && tz === undefined
        ? undefined
        : { latitude: double(lat), longitude: double(lon), time_zone: tz },
    subdivisions: region && [
      { iso_code: subdivision?.replace(/^..-/, ''), ...named(region, code && `${code.slice(0, 2)}0000`) },
    ],
    admin_code: code,
    district: district && named(district, code),
  };
}

const double = (value: number | undefined): MmdbNumber | undefined =>
  value === undefined ? undefined : new MmdbNumber('double', value);
