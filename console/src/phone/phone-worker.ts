/**
 * Entry of the worker of the phone page: numbers of a list. The file is read again for the table of answers,
 * so that none of its other columns is held.
 */

import { PHONE_BATCH_MAX } from '../../../src/contract/phone.ts';
import { LineBlocks } from '../../../src/core/logs/line-blocks.ts';
import { type PhoneItem, phoneCsvHead, phoneCsvRows } from '../../../src/core/phone/phone-item.ts';
import {
  detectPhoneList,
  homePlan,
  type PhoneList,
  type PhoneRecord,
  phoneRecords,
} from '../../../src/core/phone/phone-list.ts';
import { Fault } from '../../../src/core/texts/said.ts';
import type { BulkReadRequest } from '../bulk/bulk-request.ts';
import { blocksOf, type Cut, linesOf, UnclearLayout } from '../bulk/log-blocks.ts';
import { serveBulk } from '../bulk/serve-bulk.ts';
import { loadSegments } from './load-segments.ts';
import type { PhoneFindings, PhoneOptions } from './phone-options.ts';
import { type KeptPhone, PhoneRows, type PhoneSummary, withoutNumber } from './phone-rows.ts';

serveBulk<PhoneItem, KeptPhone, never, PhoneRows, PhoneFindings, PhoneSummary, PhoneOptions>({
  route: { path: '/console/api/phone/batch', member: 'numbers', batchMax: PHONE_BATCH_MAX },
  read,
  // One batch is soon asked again; answers kept about a few numbers might betray them.
  isKept: (rows) => rows.size > PHONE_BATCH_MAX,
  summarize: async (rows) => rows.summary(),
  csv,
});

/** Records of a list, some at a time. */
interface Part {
  readonly list: PhoneList;
  readonly records: Iterable<PhoneRecord>;
}

const parts = ({ source, options: { field, region } }: BulkReadRequest<PhoneOptions>): AsyncGenerator<Part> => {
  const home = region === undefined ? undefined : homePlan(region);
  return blocksOf(source, (sample): Cut<Part> => {
    const lines = linesOf(sample);
    const seen = detectPhoneList(lines, { field, home });
    // The reader of the page then names the column.
    const list = seen instanceof Fault ? detectPhoneList(lines, { field: '1' }) : seen;
    if (list instanceof Fault) throw new UnclearLayout(list.message);
    const blocks = new LineBlocks(list);
    let isFirst = true;
    return (chunk) => {
      const bytes = chunk === undefined ? blocks.end() : blocks.push(chunk);
      if (bytes === undefined) return undefined;
      const records = phoneRecords(bytes, isFirst, list, home);
      isFirst = false;
      return { list, records };
    };
  });
};

async function read(
  request: BulkReadRequest<PhoneOptions>,
  onLines: (lines: number) => void,
): Promise<{ readonly rows: PhoneRows; readonly found: PhoneFindings } | undefined> {
  const rows = new PhoneRows(await loadSegments());
  const counts = { lines: 0, withoutNumber: 0, badLength: 0 };
  let seen: Pick<PhoneFindings, 'columns' | 'column'> | undefined;
  for await (const { list, records } of parts(request)) {
    for (const record of records) {
      seen ??= {
        columns: list.format === 'lines' ? undefined : (list.header ?? record.cells.map((_, i) => `${i + 1}`)),
        column: list.column,
      };
      counts.lines++;
      if (record.numbers.length === 0) counts.withoutNumber++;
      counts.badLength += record.numbers.filter(({ number }) => number.validLength === false).length;
      if (!rows.add(record)) return undefined;
    }
    onLines(counts.lines);
  }
  if (seen === undefined) throw new UnclearLayout('the file is empty');
  return { rows, found: { entries: rows.size, ...seen, ...counts } };
}

async function csv(rows: PhoneRows, request: BulkReadRequest<PhoneOptions>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { list, records } of parts(request)) {
    if (texts.length === 0) texts.push(phoneCsvHead(list));
    for (const { cells, sought, numbers } of records)
      texts.push(
        phoneCsvRows(
          { cells },
          numbers.length === 0 ? [withoutNumber(sought)] : numbers.flatMap((found) => rows.foundOf(found) ?? []),
        ),
      );
  }
  return texts;
}
