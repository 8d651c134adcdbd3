/**
 * Writes data/countries.json: ISO 3166-1 alpha-2 → continent and, for countries that have exactly one, the
 * IANA time zone. Sources: countries-list (MIT) for continents, the tz database's zone.tab (public domain,
 * IANA) for zones. Run: `node scripts/tables/countries.ts [zone.tab]`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { countries } = require('countries-list') as { countries: Record<string, { continent: string }> };
const zones = new Map<string, string[]>();
for (const line of readFileSync(process.argv[2] ?? '/usr/share/zoneinfo/zone.tab', 'utf8').split('\n')) {
  const [code, , zone] = line.split('\t');
  if (code === undefined || zone === undefined || code.startsWith('#')) continue;
  zones.set(code, [...(zones.get(code) ?? []), zone]);
}
const rows = Object.keys(countries)
  .sort()
  .map((code) => {
    const own = zones.get(code) ?? [];
    return `    ${JSON.stringify(own.length === 1 ? [code, countries[code]!.continent, own[0]] : [code, countries[code]!.continent])}`;
  });
writeFileSync(
  new URL('../../data/countries.json', import.meta.url),
  `{"generated": "by scripts/tables/countries.ts, never edited by hand",
  "origin": "countries-list 3.4.1 (MIT), tz database zone.tab (public domain)",
  "countries": [
${rows.join(',\n')}
  ]
}
`,
);
process.stdout.write(`${rows.length} countries\n`);
