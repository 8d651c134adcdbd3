import { openInput, shareRead } from '../../adapters/log-files/open-input.ts';
import { type Output, OutputClosed, openOutput } from '../../adapters/log-files/open-output.ts';
import { PHONE_BATCH_MAX } from '../../contract/phone.ts';
import type { ReadingProgress } from '../../core/logs/line-format.ts';
import type { NumberingPlan } from '../../core/phone/numbering-plan.ts';
import { type PhoneFound, type PhoneItem, phoneCsvHead, phoneCsvRows } from '../../core/phone/phone-item.ts';
import { detectPhoneList, type PhoneList, type PhoneRecord, phoneRecords } from '../../core/phone/phone-list.ts';
import { planFacts } from '../../core/phone/segments.ts';
import { fault, said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { lookupPhones, type PhoneData } from '../../service/phone/lookup-phone.ts';
import { readBlocks } from './read-blocks.ts';

export interface PhoneText {
  readonly head: (list: Pick<PhoneList, 'format' | 'header'>) => string;
  readonly body: (record: PhoneRecord, found: readonly PhoneFound[]) => string;
}

export interface LookUpPhonesOptions {
  readonly path: string;
  readonly out: string | undefined;
  readonly field: string | undefined;
  readonly home: NumberingPlan | undefined;
  readonly allowPartial: boolean;
  readonly text: PhoneText;
  readonly now: UnixMs;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReadingProgress) => void;
}

export interface PhoneCounts {
  readonly records: number;
  readonly withoutNumber: number;
  readonly numbers: number;
  readonly hits: number;
  readonly badLength: number;
}

const NO_RECORDS: PhoneCounts = { records: 0, withoutNumber: 0, numbers: 0, hits: 0, badLength: 0 };

/**
 * Looks up every number of a list in its order, a batch at a time, so that memory does not depend on its
 * size.
 * @returns undefined where the reader of standard output closed it
 * @throws Error of the file system, for a list in which numbers are not found, and for one of which most
 * lines have none unless that is allowed; no text of the list is in it
 */
export async function lookUpPhones(data: PhoneData, options: LookUpPhonesOptions): Promise<PhoneCounts | undefined> {
  const { path, field, home, signal, text, onProgress } = options;
  const input = await openInput(path, signal);
  const output = await openOutput(options.out);
  try {
    const lines = await readBlocks(input.chunks, (sample) => detectPhoneList(sample, { field, home }));
    let counts = NO_RECORDS;
    if (lines !== undefined) {
      await write(output, text.head(lines.layout));
      for await (const records of batches(lines.blocks, lines.layout, home)) {
        signal.throwIfAborted();
        const answers = await phoneAnswers(data, records, options.now);
        await write(output, records.map((record, i) => text.body(record, answers[i]!)).join(''));
        counts = added(counts, records, answers);
        onProgress({ records: counts.records, share: shareRead(input) });
      }
      signal.throwIfAborted();
      requireNumbers(counts, lines.layout, options.allowPartial);
    }
    await output.finish();
    return counts;
  } catch (error) {
    await output.abandon();
    if (error instanceof OutputClosed) return undefined;
    throw error;
  } finally {
    await input.chunks.return(undefined);
  }
}

const write = (output: Output, text: string): Promise<void> => output.write(Buffer.from(text));

async function* batches(
  blocks: AsyncIterable<Uint8Array>,
  list: PhoneList,
  home: NumberingPlan | undefined,
): AsyncGenerator<readonly PhoneRecord[]> {
  let isFirst = true;
  let batch: PhoneRecord[] = [];
  for await (const block of blocks) {
    for (const record of phoneRecords(block, isFirst, list, home)) {
      if (batch.push(record) < PHONE_BATCH_MAX) continue;
      yield batch;
      batch = [];
    }
    isFirst = false;
  }
  if (batch.length > 0) yield batch;
}

export async function phoneAnswers(
  data: PhoneData,
  records: readonly PhoneRecord[],
  now: UnixMs,
): Promise<readonly (readonly PhoneFound[])[]> {
  const inputs = records.map(({ sought, numbers }) =>
    numbers.length > 0 ? numbers : [{ input: sought, number: undefined }],
  );
  const text = await lookupPhones(data, inputs.flat(), { now, requestId: 'local' });
  const { results } = JSON.parse(text) as { readonly results: readonly PhoneItem[] };
  let at = 0;
  return inputs.map((ofRecord) =>
    ofRecord.map(
      ({ number }): PhoneFound => ({
        item: results[at++]!,
        planned: number && planFacts(data.segments, number),
      }),
    ),
  );
}

function added(
  counts: PhoneCounts,
  records: readonly PhoneRecord[],
  answers: readonly (readonly PhoneFound[])[],
): PhoneCounts {
  const items = answers.flat().map(({ item }) => item);
  const without = records.filter(({ numbers }) => numbers.length === 0).length;
  return {
    records: counts.records + records.length,
    withoutNumber: counts.withoutNumber + without,
    numbers: counts.numbers + items.length - without,
    hits: counts.hits + items.filter(({ hit }) => hit).length,
    badLength:
      counts.badLength +
      items.filter((item) => 'miss_reason' in item && item.miss_reason === 'unqueryable_bad_length').length,
  };
}

/** Numbers sought in the wrong column would otherwise pass as a finished list. */
function requireNumbers({ records, withoutNumber }: PhoneCounts, { format }: PhoneList, allowPartial: boolean): void {
  const hint = said('read as {format}; --field names the column, --region the country of numbers without +', {
    format,
  });
  if (withoutNumber === records) throw fault('no phone number in {records:line|lines} ({hint})', { records, hint });
  if (2 * withoutNumber > records && !allowPartial)
    throw fault(
      '{withoutNumber} of {records:line has|lines have} no phone number ({hint}); --allow-partial takes the list all the same',
      { withoutNumber, records, hint },
    );
}

export const PHONE_CSV: PhoneText = { head: phoneCsvHead, body: phoneCsvRows };

export const PHONE_NDJSON: PhoneText = {
  head: () => '',
  body: (_, found) => found.map(({ item }) => `${JSON.stringify(item)}\n`).join(''),
};
