import { type Input, openInput } from '../../adapters/log-files/open-input.ts';
import { isParquet } from '../../adapters/parquet/is-parquet.ts';
import { openParquet } from '../../adapters/parquet/open-parquet.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { OutputForm } from '../../core/enrich/conversion.ts';
import { detectLayout, type LayoutWishes } from '../../core/logs/detect-layout.ts';
import { LINE_FORMATS } from '../../core/logs/line-format.ts';
import type { LineLayout } from '../../core/logs/line-layout.ts';
import { fault } from '../../core/texts/fault.ts';
import { said } from '../../core/texts/said.ts';
import { type OpenedLines, readBlocks } from './read-blocks.ts';

/** A file of lines, or a Parquet file whose rows became lines. */
export interface Records extends Input {
  readonly isParquet: boolean;
  /** Undefined: the file has no byte. */
  readonly lines: OpenedLines | undefined;
}

export interface RecordsOrder {
  readonly wishes: LayoutWishes;
  /** Form of the rows of a Parquet file. */
  readonly form: OutputForm;
  readonly signal: AbortSignal;
}

/**
 * Opens a file, and closes it when it was read.
 * @throws Error of the file system, for a layout that is not clear, or for a wish that a Parquet file cannot fulfil
 */
export async function withRecords<Result>(
  path: string,
  { wishes, form, signal }: RecordsOrder,
  read: (records: Records) => Promise<Result>,
): Promise<Result> {
  const rows = (await isParquet(path)) ? rowForm(wishes, form) : undefined;
  const input = rows === undefined ? await openInput(path, signal) : await openParquet(path, rows, signal);
  try {
    const seen = { ...wishes, now: systemClock.now(), ...(rows !== undefined && { format: rows }) };
    const lines = await readBlocks(input.chunks, (sample) => detectLayout(sample, seen));
    return await read({ ...input, isParquet: rows !== undefined, lines });
  } finally {
    await input.chunks.return(undefined);
  }
}

function rowForm({ format }: LayoutWishes, form: OutputForm): 'csv' | 'ndjson' {
  if (format !== undefined) throw fault('a Parquet file has its own format: leave --format out');
  if (form === 'same') throw fault('Parquet is read and not written: add --output ndjson or --output csv');
  return form;
}

/**
 * A file in which addresses are sought in the wrong place would be called done.
 * @throws Error for a file without an address, for one of which no address has a verdict (private ones of a proxy in front), and for one of which most lines have none unless that is allowed
 */
export function requireAddresses(
  { records, without, judged }: { readonly records: number; readonly without: number; readonly judged: number },
  { format }: LineLayout,
  { wishes, allowPartial }: { readonly wishes: LayoutWishes; readonly allowPartial: boolean },
): void {
  if (records === 0) return;
  const hint = said(
    '--format any takes them wherever they stand, --field names their column or word, --format one of {formats}',
    { formats: LINE_FORMATS.join(', ') },
  );
  const { field } = wishes;
  const read =
    field === undefined
      ? said('read as {format}', { format })
      : said('read as {format} with --field {field}', { format, field });
  if (without === records)
    throw fault('none of {records} lines has an address ({read}); {hint}', { records, read, hint });
  if (judged === 0)
    throw fault('no address of {records} lines has a verdict ({read}); {hint}', { records, read, hint });
  if (2 * without > records && !allowPartial)
    throw fault(
      '{without} of {records} lines have no address ({read}); --allow-partial takes the file all the same; {hint}',
      { without, records, read, hint },
    );
}
