import world from '../../../data/world-outlines.json';
import type { TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import { type HtmlReportOptions, htmlReport } from '../../../src/core/report/html-report.ts';
import { wordsEn } from '../../../src/core/report/words-en.ts';
import { wordsZh } from '../../../src/core/report/words-zh.ts';
import type { WorldOutlines } from '../../../src/core/report/world-map.ts';
import type { Locale } from '../locale-path.ts';

/** The report that `pulse summarize --html` writes. */
export const bulkReport = (
  summary: TrafficSummary,
  locale: Locale,
  options: Omit<HtmlReportOptions, 'words' | 'world' | 'linkBase'>,
): string =>
  htmlReport(summary, {
    ...options,
    words: locale === 'zh' ? wordsZh : wordsEn,
    world: world as unknown as WorldOutlines,
    linkBase: location.origin,
  });
