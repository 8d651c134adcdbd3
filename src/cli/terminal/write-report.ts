import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadKnownGood } from '../../adapters/layers/known-good.ts';
import { writeOutput } from '../../adapters/log-files/open-output.ts';
import type { Config } from '../../config.ts';
import type { SummaryAddress, TrafficSummary } from '../../contract/traffic-summary.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { htmlReport } from '../../core/report/html-report.ts';
import { namedSummary } from '../../core/report/named-summary.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { wordsZh } from '../../core/report/words-zh.ts';
import type { WorldOutlines } from '../../core/report/world-map.ts';
import type { Language } from '../../core/texts/said.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import { unixMs } from '../../core/units.ts';
import { readAsNames } from '../../main/place-data/read-current-geo.ts';

export const REPORT_WORDS = { en: wordsEn, zh: wordsZh };

const WORLD = resolve(import.meta.dirname, '../../../data/world-outlines.json');

interface ReportOptions {
  readonly source: string;
  readonly lang: Language;
  readonly config: Config;
}

export async function writeReport(
  path: string,
  summary: TrafficSummary,
  { source, lang, config }: ReportOptions,
): Promise<void> {
  const world = JSON.parse(readFileSync(WORLD, 'utf8')) as WorldOutlines;
  const asName = await readAsNames(config.dataDir);
  const options = { source, words: REPORT_WORDS[lang], world, asName, linkBase: config.baseUrl };
  await writeOutput(path, Buffer.from(htmlReport(worded(summary, lang), options)));
}

export const worded = (summary: TrafficSummary, lang: Language): TrafficSummary =>
  lang === 'en'
    ? summary
    : namedSummary(summary, ({ scanner, service }) => ({
        ...(scanner !== undefined && { scanner: sourceTextZh(scanner) }),
        ...(service !== undefined && { service: sourceTextZh(service) }),
      }));

export function withScannerNames(rows: readonly SummaryAddress[], at: string): readonly SummaryAddress[] {
  const known = loadKnownGood();
  const moment = unixMs(Date.parse(at));
  return rows.map((row) => {
    const set = known.find(parseAnyAddress(row.ip)!, moment);
    return set?.scanner === true ? { ...row, scanner: set.what } : row;
  });
}
