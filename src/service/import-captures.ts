import { CaptureReader, type LineRefusal } from '../core/evidence/capture-reader.ts';
import type { EvidenceSource } from '../core/evidence/observation.ts';
import type { UnixMs } from '../core/units.ts';
import type { Clock, HistoryStore } from './ports.ts';

export interface ImportOutcome {
  readonly lines: number;
  /** Captures taken in, those known before included. */
  readonly accepted: number;
  /** Captures that were new. */
  readonly added: number;
  /** By reason; the store's own refusals have no line numbers. */
  readonly refused: Readonly<Record<string, { readonly count: number; readonly first_lines?: readonly number[] }>>;
}

export interface ImportOptions {
  readonly source: EvidenceSource;
  /** Time of rows that carry none; undefined: the moment of acceptance. */
  readonly capturedAt?: UnixMs | undefined;
  /** The rows are the source's complete record from then on. */
  readonly since?: UnixMs | undefined;
  /** Called after every batch. */
  readonly progress?: (lines: number) => void;
}

/** Rows a transaction: large enough for speed, small enough that other writers wait less than a second or two. */
const BATCH_ROWS = 250_000;
/** Sources the store may know before captures are taken from a new one: names cost room in every image for ever. */
const SOURCES_MAX = 5_000;

/** Takes captures from a stream of bytes into history, batch by batch. What was taken in before a fault stays; the same input again changes nothing more. */
export async function importCaptures(
  store: Pick<HistoryStore, 'recordCaptures' | 'follow' | 'sources'>,
  clock: Clock,
  bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const reader = new CaptureReader();
  const refused = new Map<string, LineRefusal>();
  const startedAt = options.capturedAt ?? clock.now();
  const isWelcome = await hasRoom(store, options.source);
  let accepted = 0;
  let added = 0;
  const flush = async (): Promise<void> => {
    if (reader.pending === 0) return;
    if (!isWelcome) {
      refused.set('too_many_sources', { count: (refused.get('too_many_sources')?.count ?? 0) + reader.take().length, firstLines: [] });
      return;
    }
    const outcome = await store.recordCaptures(options.source, startedAt, reader.take(), clock.now());
    accepted += outcome.rows;
    added += outcome.added;
    for (const [reason, count] of outcome.refused) refused.set(reason, { count: (refused.get(reason)?.count ?? 0) + count, firstLines: [] });
    options.progress?.(reader.lines);
  };
  for await (const chunk of bytes) {
    reader.write(chunk);
    if (reader.pending >= BATCH_ROWS) await flush();
  }
  reader.end();
  await flush();
  if (options.since !== undefined && accepted > 0) await store.follow(options.since);
  return {
    lines: reader.lines,
    accepted,
    added,
    refused: Object.fromEntries([...reader.refused, ...refused].map(([reason, row]) => [reason, refusalOf(row)])),
  };
}

/** Whether the store knows the source or has room for another. */
async function hasRoom(store: Pick<HistoryStore, 'sources'>, { id }: EvidenceSource): Promise<boolean> {
  const sources = await store.sources();
  return sources.length < SOURCES_MAX || sources.some((source) => source.id === id);
}

const refusalOf = ({ count, firstLines }: LineRefusal) => (firstLines.length === 0 ? { count } : { count, first_lines: firstLines });
