import { CaptureReader, type LineRefusal, type RefuseRow } from '../../core/evidence/capture-reader.ts';
import type { EvidenceSource } from '../../core/evidence/observation.ts';
import { LineEnds } from '../../core/logs/line-ends.ts';
import { fault, type Said, said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Clock, HistoryUpkeep, HistoryWriter, RunOutcome, SourceHealth } from '../ports.ts';

export interface ImportOutcome {
  readonly lines: number;
  readonly accepted: number;
  readonly added: number;
  /** Counts refused rows by reason; the store's own refusals have no line numbers. */
  readonly refused: Readonly<Record<string, { readonly count: number; readonly first_lines?: readonly number[] }>>;
  readonly unread_columns?: readonly string[];
}

export const refusedRows = ({ refused }: Pick<ImportOutcome, 'refused'>): number =>
  Object.values(refused).reduce((sum, { count }) => sum + count, 0);

/**
 * - `capturedAt`: rows without a time get this one; default: the moment of acceptance.
 * - `since`: the rows are the source's complete record from this time on.
 * - `ignoreTimes`: accepts rows whose times are in a place that is not read.
 */
export interface ImportOptions {
  readonly source: EvidenceSource;
  readonly capturedAt?: UnixMs | undefined;
  readonly since?: UnixMs | undefined;
  readonly refuse?: RefuseRow | undefined;
  readonly ignoreTimes?: boolean | undefined;
  readonly file?: string | Said;
  readonly progress?: (lines: number) => void;
}

/** Large enough for speed, and small enough that other writers wait less than one or two seconds. */
const BATCH_ROWS = 250_000;
/** Captures of a new source are refused beyond this many: names use space in every image for ever. */
export const SOURCES_MAX = 5_000;

/**
 * Imports captures from a stream of text batch by batch. Batches before a fault stay; the same input again
 * changes nothing more.
 * @throws Fault for an input without a row or header, and for one that is not a list
 */
export async function importCaptures(
  store: HistoryWriter & HistoryUpkeep,
  clock: Clock,
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const { refuse, ignoreTimes = false, file = said('standard input') } = options;
  const reader = new CaptureReader({ ignoreTimes, ...(refuse === undefined ? {} : { refuse }) });
  const ends = new LineEnds();
  const startedAt = options.capturedAt ?? clock.now();
  const isWelcome = await hasRoomForSource(store, options.source.id);
  const outcomes: Taken[] = [];
  const flush = async (): Promise<void> => {
    if (reader.pending === 0) return;
    const batch = reader.take();
    outcomes.push(
      isWelcome
        ? await store.recordCaptures(options.source, startedAt, batch, clock.now())
        : refusedForSpace(batch.length),
    );
    options.progress?.(reader.lines);
  };
  for await (const chunk of bytes) {
    reader.write(ends.push(chunk));
    if (reader.fault !== undefined) break;
    if (reader.pending >= BATCH_ROWS) await flush();
  }
  reader.write(ends.end());
  reader.end();
  if (reader.fault !== undefined) throw fault('{file} cannot be read as a list: {why}', { file, why: reader.fault });
  if (!reader.begun) throw fault('{file} is empty: it has neither a row nor a header', { file });
  await flush();
  const { unreadColumns } = reader;
  const outcome = {
    ...importOutcome(reader, outcomes),
    ...(unreadColumns.length === 0 ? {} : { unread_columns: unreadColumns }),
  };
  if (options.since !== undefined && outcome.accepted > 0) await store.follow(options.since);
  return outcome;
}

type Taken = Pick<RunOutcome, 'rows' | 'added' | 'refused'>;

export function importOutcome(
  { lines, refused: unread }: Pick<CaptureReader, 'lines' | 'refused'>,
  outcomes: readonly Taken[],
): ImportOutcome {
  const refused = new Map<string, LineRefusal>();
  for (const outcome of outcomes)
    for (const [reason, count] of outcome.refused)
      refused.set(reason, { count: (refused.get(reason)?.count ?? 0) + count, firstLines: [] });
  return {
    lines,
    accepted: outcomes.reduce((sum, { rows }) => sum + rows, 0),
    added: outcomes.reduce((sum, { added }) => sum + added, 0),
    refused: Object.fromEntries([...unread, ...refused].map(([reason, row]) => [reason, refusalOf(row)])),
  };
}

export const refusedForSpace = (rows: number): Taken => ({
  rows: 0,
  added: 0,
  refused: new Map(rows === 0 ? [] : [['too_many_sources', rows]]),
});

async function hasRoomForSource(store: HistoryUpkeep, id: string): Promise<boolean> {
  const sources = await store.sources();
  if (sources.length < SOURCES_MAX || sources.some((source) => source.id === id)) return true;
  const retractions = await store.retractions();
  const isEmptied = ({ id: name, lastRunAt }: SourceHealth): boolean =>
    retractions.some(
      ({ source, sender, from, to }) => source === name && sender === undefined && from <= 0 && to > (lastRunAt ?? 0),
    );
  return sources.filter((source) => !isEmptied(source)).length < SOURCES_MAX;
}

const refusalOf = ({ count, firstLines }: LineRefusal) =>
  firstLines.length === 0 ? { count } : { count, first_lines: firstLines };
