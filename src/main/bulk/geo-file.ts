import { existsSync } from 'node:fs';
import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { geoNoticeLines } from '../../core/export/export-notice.ts';
import { editionOf, type GeoSchema } from '../../core/export/export-record.ts';
import { namesIn } from '../../core/names/names-in.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { asnValue, cityValue, PLACE_LANGUAGES, type PlaceNames } from '../../engine/mmdb/city-value.ts';
import { writeMmdb } from '../../engine/mmdb/write-mmdb.ts';
import { geoEntries } from '../../service/lookup/export-entries.ts';
import { type ExportGeo, type ExportPlace, exportGeo } from './export-formats.ts';
import { replaceFile } from './replace-file.ts';
import type { ExportOutcome } from './verdict-file.ts';

export interface GeoFileOptions {
  readonly schema: GeoSchema;
  readonly databaseType?: string | undefined;
  readonly path: string;
  readonly families: readonly (4 | 6)[];
  readonly hasAsNames: boolean;
}

const REPORT_EVERY = 50_000;

export class GeoFile {
  readonly #config: ExportPlace;
  readonly #options: GeoFileOptions;
  #geo: ExportGeo | undefined;

  constructor(config: ExportPlace, options: GeoFileOptions) {
    this.#config = config;
    this.#options = options;
  }

  async write(signal: AbortSignal, onProgress: (prefixes: number) => void = () => {}): Promise<ExportOutcome> {
    const { schema, databaseType = editionOf(schema), path, families, hasAsNames } = this.#options;
    const last = this.#geo;
    const geo = await exportGeo(this.#config, last);
    const moment = systemClock.now();
    const dataVersion = { geo: geo.image.meta.dataVersion };
    const notice = { moment, dataVersion, families, networkSources: geo.layers, ownLayers: geo.ownLayers };
    if (geo === last && existsSync(path)) return { notice, prefixes: 0, written: undefined };
    let prefixes = 0;
    function* counted<Entry>(entries: Iterable<Entry>): Generator<Entry> {
      for (const entry of entries) {
        if (++prefixes % REPORT_EVERY === 0) onProgress(prefixes);
        yield entry;
      }
    }
    const pieces = writeMmdb({
      entries: counted(geoEntries(geo.image, schema, families)),
      recordValue: schema === 'city' ? placeValues(geo.image) : asnValues(geo.image, hasAsNames),
      ipVersion: families.includes(6) ? 6 : 4,
      buildEpoch: Math.floor(moment / 1000),
      databaseType,
      ...(schema === 'city' && { languages: PLACE_LANGUAGES }),
      description: geoNoticeLines(schema, notice).join('\n'),
    });
    const written = await replaceFile(path, pieces, { signal });
    this.#geo = geo;
    return { notice, prefixes, written };
  }
}

const asnValues = (geo: GeoImage, hasAsNames: boolean) => (asn: number) =>
  asnValue(asn, hasAsNames ? geo.asName(asn) : undefined);

const placeValues = (geo: GeoImage) => {
  const names = placeNames();
  return (id: number) => cityValue(JSON.parse(geo.places.read(id)), names);
};

/** ICU names continents by UN M49 codes. */
const CONTINENT_AREAS: Readonly<Record<string, string>> = {
  AF: '002',
  AS: '142',
  EU: '150',
  NA: '003',
  OC: '009',
  SA: '005',
  AN: 'AQ',
};

function placeNames(): PlaceNames {
  const [english, chinese] = [namesIn('en'), namesIn('zh-CN')];
  const divisions = chineseDivisions();
  const areas = PLACE_LANGUAGES.map((tag) => new Intl.DisplayNames(tag, { type: 'region' }));
  return {
    country: (code) => ({ en: english.country(code), 'zh-CN': chinese.country(code) }),
    continent: (code) => {
      const area = CONTINENT_AREAS[code];
      const [en, zh] = areas.map((names) => (area === undefined ? undefined : names.of(area)));
      return en === undefined ? undefined : { en, 'zh-CN': zh };
    },
    division: (code) => divisions.get(code),
  };
}
