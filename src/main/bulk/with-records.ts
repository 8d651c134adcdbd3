import { type Input, openInput } from '../../adapters/log-files/open-input.ts';
import { systemClock } from '../../adapters/system/own-process.ts';
import { detectLayout, type LayoutOptions } from '../../core/logs/detect-layout.ts';
import { LINE_FORMATS } from '../../core/logs/line-format.ts';
import type { LineLayout } from '../../core/logs/line-layout.ts';
import { fault, said } from '../../core/texts/said.ts';
import { type OpenedLines, readBlocks } from './read-blocks.ts';

export interface Records extends Input {
  readonly lines: OpenedLines | undefined;
}

export interface RecordsOptions {
  readonly options: LayoutOptions;
  readonly signal: AbortSignal;
}

export async function withRecords<Result>(
  path: string,
  { options, signal }: RecordsOptions,
  read: (records: Records) => Promise<Result>,
): Promise<Result> {
  const input = await openInput(path, signal);
  try {
    const seen = { ...options, now: systemClock.now() };
    const lines = await readBlocks(input.chunks, (sample) => detectLayout(sample, seen));
    return await read({ ...input, lines });
  } finally {
    await input.chunks.return(undefined);
  }
}

/**
 * Addresses sought in the wrong column would otherwise pass as a finished file.
 * @throws Error for a file without an address, for one of which no address has a verdict (private ones of a
 * proxy in front), and for one of which most lines have none unless that is allowed
 */
export function requireAddresses(
  { records, without, judged }: { readonly records: number; readonly without: number; readonly judged: number },
  { format }: LineLayout,
  { options, allowPartial }: { readonly options: LayoutOptions; readonly allowPartial: boolean },
): void {
  if (records === 0) return;
  const hint = said(
    '--format any takes them wherever they stand, --field names their column or word, --format one of {formats}',
    { formats: LINE_FORMATS.join(', ') },
  );
  const { field } = options;
  const read =
    field === undefined
      ? said('read as {format}', { format })
      : said('read as {format} with --field {field}', { format, field });
  if (without === records) throw fault('no address in {records:line|lines} ({read}); {hint}', { records, read, hint });
  if (judged === 0)
    throw fault('no address of {records:line|lines} has a verdict ({read}); {hint}', { records, read, hint });
  if (2 * without > records && !allowPartial)
    throw fault(
      '{without} of {records:line has|lines have} no address ({read}); --allow-partial takes the file all the same; {hint}',
      { without, records, read, hint },
    );
}
