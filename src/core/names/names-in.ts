import type { Geo } from '../../contract/documents.ts';

/** Documents keep Latin names and codes (decisions 10.11); readers of one language get these. */
export interface Names {
  readonly country: (code: string) => string;
  /**
   * Runs from the deepest part up to the country; in Chinese from the country down. '' where nothing is
   * known.
   */
  readonly place: (geo: Geo) => string;
  /** In Chinese, the short name of a carrier of China precedes the registered name. */
  readonly network: (asn: number, name: string | undefined) => string;
}

/**
 * @param tag BCP 47
 * @param divisions Chinese names of the divisions of mainland China by code, for a Chinese reader
 */
export function namesIn(tag: string, divisions: ReadonlyMap<string, string> = new Map()): Names {
  const isChinese = tag.startsWith('zh');
  const countries = new Intl.DisplayNames(tag, { type: 'region', fallback: 'code' });
  const country = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code);
  return {
    country,
    place: (geo) => {
      const top = geo.country === undefined ? [] : [country(geo.country)];
      if (!isChinese) return distinct([geo.district, geo.city, geo.region, ...top]).join(', ');
      const chinese = divisionNames(geo.admin_code, divisions);
      return distinct([...top, ...(chinese.length > 0 ? chinese : [geo.region, geo.city, geo.district])]).join(' ');
    },
    network: (asn, name) => distinct([`AS${asn}`, isChinese ? carrierOf(name) : undefined, name]).join(' '),
  };
}

const distinct = (parts: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(parts.filter((part) => part !== undefined)),
];

/** Names province, city and district of a GB/T 2260 code, as far as it goes: 510107 → 四川省 成都市 武侯区. */
function divisionNames(code: string | undefined, divisions: ReadonlyMap<string, string>): readonly string[] {
  if (code === undefined) return [];
  const codes = [`${code.slice(0, 2)}0000`, `${code.slice(0, 4)}00`, code];
  return distinct(codes.map((one) => divisions.get(one)));
}

const CARRIERS: readonly (readonly [RegExp, string])[] = [
  [/chinanet|\bchina ?telecom/i, '中国电信'],
  [/china ?unicom|china169|cncgroup/i, '中国联通'],
  [/\bchina ?mobile|cmnet/i, '中国移动'],
  [/tietong/i, '中国铁通'],
  [/\bcernet|china education and research/i, '教育网'],
];

const carrierOf = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : CARRIERS.find(([pattern]) => pattern.test(name))?.[1];
