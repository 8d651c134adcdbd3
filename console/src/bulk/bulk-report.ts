import world from '../../../data/world-outlines.json';
import type { TrafficSummary } from '../../../src/contract/traffic-summary.ts';
import { htmlReport } from '../../../src/core/report/html-report.ts';
import type { AsName } from '../../../src/core/report/report-format.ts';
import { wordsEn } from '../../../src/core/report/words-en.ts';
import { wordsZh } from '../../../src/core/report/words-zh.ts';
import type { WorldOutlines } from '../../../src/core/report/world-map.ts';

/** The report that `pulse summarize --html` writes. */
export const bulkReport = (summary: TrafficSummary, source: string, locale: 'zh' | 'en', asName: AsName): Blob =>
  new Blob(
    [
      htmlReport(summary, {
        source,
        words: locale === 'zh' ? wordsZh : wordsEn,
        world: world as unknown as WorldOutlines,
        asName,
        linkBase: location.origin,
      }),
    ],
    {
      type: 'text/html;charset=utf-8',
    },
  );
