export interface DivisionTable {
  /** Code, Chinese name, Latin name. */
  readonly divisions: readonly (readonly [string, string, string])[];
  /** First two digits → ISO 3166-2 code. */
  readonly subdivisions: readonly (readonly [string, string])[];
  /** First two digits, former name, code that holds the place today. */
  readonly former: readonly (readonly [string, string, string])[];
  /** City-level code, latitude, longitude. */
  readonly centroids: readonly (readonly [string, number, number])[];
}

/** Country, continent, and the time zone of a country that has exactly one. */
export type CountryRow = readonly [string, string, string?];

/** The city-level code of a province-level city is the province's own (110000), as decisions 4.11 fixes it. */
const MUNICIPALITIES = new Set(['11', '12', '31', '50']);
/**
 * A province runs county-level divisions with these prefixes itself: they have no city above them and are the
 * city.
 */
const PROVINCE_RUN = /^(4190|4290|4690|6590)/;

/** Chinese and Latin names of the divisions that a city code may name. */
export const cityNames = ({ divisions }: DivisionTable): ReadonlyMap<string, readonly [zh: string, latin: string]> =>
  new Map(
    divisions.filter(([code]) => cityCode(code) === code).map(([code, chinese, latin]) => [code, [chinese, latin]]),
  );

export interface DivisionNames {
  readonly subdivision: string;
  readonly region: string;
  readonly city?: string;
  readonly district?: string;
}

/**
 * Finds mainland China's divisions by code and by name (GB/T 2260). Hong Kong, Macau and Taiwan carry their
 * own ISO 3166-1 codes instead.
 */
export class Divisions {
  readonly #latin = new Map<string, string>();
  readonly #iso: ReadonlyMap<string, string>;
  readonly #centroids: ReadonlyMap<string, readonly [number, number]>;
  /**
   * The key is province digits and the name as written, or without its level word; undefined where two
   * divisions share it.
   */
  readonly #cities = new Map<string, string | undefined>();
  readonly #districts = new Map<string, string | undefined>();
  readonly #provinces = new Map<string, string>();
  readonly #latinCities = new Map<string, string | undefined>();
  readonly #latinProvinces = new Map<string, string>();

  constructor(table: DivisionTable) {
    this.#iso = new Map(table.subdivisions);
    this.#centroids = new Map(table.centroids.map(([code, lat, lon]) => [code, [lat, lon]]));
    for (const [code, chinese, latin] of table.divisions) this.#addDivision(code, chinese, latin);
    for (const [province, name, code] of table.former) {
      const into = cityCode(code) === code ? this.#cities : this.#districts;
      if (!into.has(province + name)) into.set(province + name, code);
      if (cityCode(code) === code && !this.#cities.has(province + stripLevel(name)))
        this.#cities.set(province + stripLevel(name), code);
      if (cityCode(code) === code && !this.#districts.has(province + name)) this.#districts.set(province + name, code);
    }
    for (const [province, iso] of table.subdivisions)
      for (const code of [iso, `CN-${province}`]) this.#provinces.set(code, province);
    for (const [alias, province] of LATIN_PROVINCE_ALIASES) this.#latinProvinces.set(alias, province);
  }

  #addDivision(code: string, chinese: string, latin: string): void {
    this.#latin.set(code, latin);
    const province = code.slice(0, 2);
    const put = (into: Map<string, string | undefined>, key: string): void => {
      into.set(key, into.has(key) && into.get(key) !== code ? undefined : code);
    };
    if (code.endsWith('0000')) {
      this.#provinces.set(chinese, province);
      this.#provinces.set(stripLevel(chinese), province);
      this.#latinProvinces.set(plain(latin), province);
    }
    const level = cityCode(code) === code ? this.#cities : code.endsWith('0000') ? undefined : this.#districts;
    if (level === undefined) return;
    put(level, province + chinese);
    if (stripLevel(chinese) !== chinese) put(level, province + stripLevel(chinese));
    if (level === this.#cities) put(this.#latinCities, province + plain(latin));
  }

  /**
   * Returns the code of a place named in Chinese, as deep as the names lead: 南京 in 江苏 → 320100; 110000 for
   * Beijing; 320000 when only the province is known. A district counts only inside the city that is named
   * with it.
   * @returns undefined when the province is not a mainland one
   */
  fromChinese(region: string, city?: string, district?: string): string | undefined {
    const province = this.#provinces.get(region) ?? this.#provinces.get(stripLevel(region));
    if (province === undefined) return undefined;
    const top = `${province}0000`;
    const pick = (map: ReadonlyMap<string, string | undefined>, name: string): string | undefined =>
      map.get(province + name) ?? map.get(province + stripLevel(name));
    const cityLevel = MUNICIPALITIES.has(province) ? top : city === undefined ? undefined : pick(this.#cities, city);
    const districtName = district ?? (MUNICIPALITIES.has(province) || cityLevel === undefined ? city : undefined);
    const found = districtName === undefined ? undefined : pick(this.#districts, districtName);
    if (found !== undefined && (cityLevel === undefined || cityCode(found) === cityLevel)) return found;
    return cityLevel ?? top;
  }

  /**
   * Returns the code of a province (its name or ISO 3166-2 code, the former numbers too) and city in Latin letters. It goes no deeper
   * than the city, because such districts are not to be trusted with a code (decisions 4.11). "Jinrongjie
   * (Xicheng District)" in Beijing is Beijing.
   */
  fromLatin(region: string, city?: string): string | undefined {
    const province =
      this.#provinces.get(region.toUpperCase()) ??
      this.#latinProvinces.get(plain(region).replace(LATIN_LEVEL, '')) ??
      this.#latinProvinces.get(plain(region));
    if (province === undefined) return undefined;
    if (MUNICIPALITIES.has(province) || city === undefined) return `${province}0000`;
    const name = plain(city.replace(/ \(.*\)$/, ''));
    return (
      this.#latinCities.get(province + name) ??
      this.#latinCities.get(province + name.replace(/(shi|city|prefecture)$/, '')) ??
      `${province}0000`
    );
  }

  has(code: string): boolean {
    return this.#latin.has(code);
  }

  names(code: string): DivisionNames | undefined {
    const province = code.slice(0, 2);
    const subdivision = this.#iso.get(province);
    const region = this.#latin.get(`${province}0000`);
    if (subdivision === undefined || region === undefined || !this.#latin.has(code)) return undefined;
    const above = cityCode(code);
    const city = above === undefined ? undefined : this.#latin.get(above);
    const district = above === code || code.endsWith('0000') ? undefined : this.#latin.get(code);
    return { subdivision, region, ...(city !== undefined && { city }), ...(district !== undefined && { district }) };
  }

  centroid(code: string): readonly [number, number] | undefined {
    const city = cityCode(code);
    return city === undefined ? undefined : this.#centroids.get(city);
  }
}

export function cityCode(code: string): string | undefined {
  const province = code.slice(0, 2);
  if (MUNICIPALITIES.has(province)) return `${province}0000`;
  if (code.endsWith('0000')) return undefined;
  return PROVINCE_RUN.test(code) ? code : `${code.slice(0, 4)}00`;
}

const LATIN_LEVEL =
  /(sheng|shi|province|municipality|city|zizhiqu|autonomousregion|zhuangzuzizhiqu|huizuzizhiqu|uygurzizhiqu)$/;

const LATIN_PROVINCE_ALIASES: readonly (readonly [string, string])[] = [
  ['neimongol', '15'],
  ['neimenggu', '15'],
  ['innermongoliaautonomousregion', '15'],
  ['xizang', '54'],
  ['tibetautonomousregion', '54'],
  ['guangxizhuang', '45'],
  ['guangxizhuangautonomousregion', '45'],
  ['ningxiahui', '64'],
  ['ningxiahuiautonomousregion', '64'],
  ['xinjianguyghur', '65'],
  ['xinjianguygur', '65'],
  ['xinjianguyghurautonomousregion', '65'],
];

const ETHNIC =
  /(蒙古族|蒙古|回族|藏族|维吾尔|苗族|彝族|壮族|布依族|朝鲜族|满族|侗族|瑶族|白族|土家族|哈尼族|哈萨克|傣族|黎族|傈僳族|佤族|畲族|拉祜族|水族|东乡族|纳西族|景颇族|柯尔克孜|土族|达斡尔族|仫佬族|羌族|布朗族|撒拉族|毛南族|仡佬族|锡伯|阿昌族|普米族|塔吉克|怒族|鄂温克族|鄂伦春|独龙族|裕固族|保安族|各族|族)+$/;

function stripLevel(name: string): string {
  const bare = name.replace(/(自治区|自治州|自治县|自治旗|新区|地区|林区|省|市|盟|州|县|区|旗)$/, '');
  const short = /自治/.test(name) ? bare.replace(ETHNIC, '') : bare;
  // A name that would keep one character stays whole: 内蒙古, 城区, 费县.
  return short.length >= 2 ? short : bare.length >= 2 ? bare : name;
}

/** Letters that Unicode does not take apart into a letter and a mark. */
const WHOLE_LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
};

export function plain(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[æđðıłøœßþ]/g, (letter) => WHOLE_LETTERS[letter]!)
    .replace(/[^a-z]/g, '');
}
