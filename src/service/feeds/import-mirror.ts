import { type CoverageAt, coverageOf, nextBase } from '../../core/feeds/coverage.ts';
import { evidenceSourceOf, type Feed, type ParsedFeed } from '../../core/feeds/feed.ts';
import { readFeedlog } from '../../core/feeds/feedlog.ts';
import { parseFeed, rowOptionsOf } from '../../core/feeds/parse-feed.ts';
import { refuseReading } from '../../core/feeds/refuse-reading.ts';
import { reasonOf, type Said, said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { relayFirst, WAITS_FOR_RELAY, waitsForRelay } from './due-at.ts';
import type { FeedReader } from './feed-ports.ts';
import {
  type RefreshOutcome,
  type RefreshParts,
  refreshFeed,
  rowsOf,
  takeIn,
  UntrustedFeed,
  unusedOf,
} from './refresh-feed.ts';

export type MirrorFile =
  /** `publishedAt`: time of the file in the mirror's manifest, or why that cannot be understood. */
  | {
      readonly kind: 'snapshot';
      readonly feed: Feed;
      readonly path: string;
      readonly publishedAt: UnixMs | Error | undefined;
    }
  | { readonly kind: 'feedlog'; readonly feed: Feed; readonly path: string }
  | { readonly kind: 'dated'; readonly feed: Feed; readonly path: string; readonly date: UnixMs };

export interface MirrorScan {
  readonly snapshots: readonly Extract<MirrorFile, { kind: 'snapshot' }>[];
  readonly series: readonly MirrorFile[];
  readonly unknown: readonly string[];
  readonly broken: readonly { readonly path: string; readonly reason: Said }[];
  /** Modification time of the newest file that belongs to a feed; 0 when there is none. */
  readonly newestAt: UnixMs;
  readonly fingerprint: string;
}

export interface MirrorOptions extends RefreshParts {
  readerOf(path: string): FeedReader;
  bodyOf(path: string, maxBytes: number): Uint8Array;
}

export interface ImportEvent {
  readonly feed: Feed;
  readonly path: string;
  readonly done: number;
  readonly total: number;
  readonly outcome: RefreshOutcome;
  readonly runs: number;
  readonly refused?: RefusedVersions;
}

export interface RefusedVersions {
  readonly count: number;
  readonly reason: Said;
}

/** Each version of a history is judged by the versions before it, as a reading is by those of a day ago. */
class SeriesBounds {
  readonly #last = new Map<string, { readonly rows: number; readonly base: CoverageAt }>();

  refuse(feed: Feed, parsed: ParsedFeed, at: UnixMs, bytes: number): Said | undefined {
    const last = this.#last.get(feed.id);
    const refusal = refuseReading(feed, parsed, bytes, { rows: last?.rows, covered: last?.base.covered });
    if (refusal === undefined)
      this.#last.set(feed.id, { rows: parsed.rows, base: nextBase(last?.base, coverageOf(parsed.batch), at) });
    return refusal;
  }
}

/**
 * Takes in every feed of a folder. New content of a snapshot speaks for `runAt`, else for the time it states, else for the time in the manifest,
 * else for the newest file's time: a folder is synced as a whole, so that is when content was first within reach. Histories speak for their own times and come first, after lists about networks. A list imported
 * with times of its own, a history or a folder whose time is given, begins the record there; a folder without a given time is watched from the moment it is taken in.
 */
export async function* importMirror(
  scan: MirrorScan,
  parts: MirrorOptions,
  options: { readonly runAt?: UnixMs; readonly series: boolean },
): AsyncGenerator<ImportEvent> {
  const bounds = new SeriesBounds();
  const files: MirrorFile[] = relayFirst(
    [...(options.series ? scan.series : []), ...scan.snapshots],
    ({ feed }) => feed,
  );
  for (const [index, file] of files.entries()) {
    const place = { feed: file.feed, path: file.path, done: index + 1, total: files.length };
    if (file.kind === 'snapshot') {
      const outcome = await refreshFeed(file.feed, parts.readerOf(file.path), parts, {
        ...(options.runAt === undefined ? {} : { runAt: options.runAt }),
        publishedAt: file.publishedAt,
        firstReadAt: scan.newestAt,
      });
      if (options.runAt !== undefined && outcome.status === 'accepted' && evidenceSourceOf(file.feed) !== undefined)
        await parts.store.follow(outcome.runAt);
      yield { ...place, outcome, runs: outcome.status === 'accepted' ? 1 : 0 };
    } else yield { ...place, ...(await importSeries(file, parts, bounds)) };
  }
}

type SeriesOutcome = Pick<ImportEvent, 'outcome' | 'runs' | 'refused'>;

async function importSeries(
  file: Exclude<MirrorFile, { kind: 'snapshot' }>,
  parts: MirrorOptions,
  bounds: SeriesBounds,
): Promise<SeriesOutcome> {
  if (waitsForRelay(file.feed, parts.networks))
    return { outcome: { status: 'refused', reason: said(WAITS_FOR_RELAY) }, runs: 0 };
  try {
    return file.kind === 'feedlog' ? await importFeedlog(file, parts, bounds) : await importDated(file, parts, bounds);
  } catch (error) {
    return {
      outcome: { status: 'failed', reason: reasonOf(error), store: false },
      runs: 0,
    };
  }
}

const NO_EVIDENCE: SeriesOutcome = {
  outcome: { status: 'refused', reason: said('history of a list about networks; only evidence has a history') },
  runs: 0,
};

async function importFeedlog(file: MirrorFile, parts: MirrorOptions, bounds: SeriesBounds): Promise<SeriesOutcome> {
  const source = evidenceSourceOf(file.feed);
  if (source?.riskType === undefined) return NO_EVIDENCE;
  const text = new TextDecoder().decode(parts.bodyOf(file.path, LOG_BYTES_MAX));
  let from: UnixMs | undefined;
  let runs = 0;
  let rows = 0;
  let runAt = 0 as UnixMs;
  let changed = false;
  let refused: RefusedVersions | undefined;
  for (const run of readFeedlog(text, rowOptionsOf(file.feed))) {
    const parsed = rowsOf(
      {
        batch: run.batch,
        asns: new Uint32Array(),
        rows: run.batch.length,
        refused: new Map(),
        publishedAt: run.at,
      },
      parts.own,
    );
    const reason = bounds.refuse(file.feed, parsed, run.at, 0);
    if (reason !== undefined) {
      refused = { count: (refused?.count ?? 0) + 1, reason: refused?.reason ?? reason };
      continue;
    }
    from ??= run.at;
    const outcome = await parts.store.recordRun(source, run.at, parsed.batch, parts.clock.now());
    if (outcome.refused.has('untrusted')) throw new UntrustedFeed(file.feed.id);
    changed = outcome.changed || changed;
    rows = parsed.rows;
    runAt = run.at;
    runs++;
  }
  if (from !== undefined) await parts.store.follow(from);
  if (runs === 0 && refused !== undefined)
    return { outcome: { status: 'refused', reason: refused.reason }, runs, refused };
  return { outcome: { status: 'accepted', rows, runAt, changed }, runs, ...(refused === undefined ? {} : { refused }) };
}

async function importDated(
  file: Extract<MirrorFile, { kind: 'dated' }>,
  parts: MirrorOptions,
  bounds: SeriesBounds,
): Promise<SeriesOutcome> {
  const source = evidenceSourceOf(file.feed);
  if (source === undefined) return NO_EVIDENCE;
  const body = parts.bodyOf(file.path, file.feed.bounds.maxBytes);
  const parsed = rowsOf(parseFeed(body, file.feed.format, rowOptionsOf(file.feed)), parts.own);
  const runAt = parsed.publishedAt ?? file.date;
  const reason = bounds.refuse(file.feed, parsed, runAt, body.length);
  if (reason !== undefined) return { outcome: { status: 'refused', reason }, runs: 0 };
  const changed = await takeIn(file.feed, parsed, runAt, parts.clock.now(), parts);
  await parts.store.follow(runAt);
  return { outcome: { status: 'accepted', rows: parsed.rows, runAt, changed, ...unusedOf(parsed) }, runs: 1 };
}

const LOG_BYTES_MAX = 2 ** 30;
