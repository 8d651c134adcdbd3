import { CATALOGUE } from '../../src/adapters/feeds/catalogue.ts';
import { requireTime } from '../../src/adapters/feeds/published-times.ts';
import { readFeed } from '../../src/adapters/feeds/read-feed.ts';
import { scanMirror } from '../../src/adapters/feeds/scan-mirror.ts';
import type { CaptureBatch } from '../../src/core/evidence/observation.ts';
import type { Feed } from '../../src/core/feeds/feed.ts';
import { parseFeed } from '../../src/core/feeds/parse-feed.ts';
import type { NetworkList } from '../../src/core/place/network-list.ts';
import { worded } from '../../src/core/texts/said.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../src/core/units.ts';
import type { FeedReader, FeedState, Quarantine } from '../../src/service/feeds/feed-ports.ts';
import { importMirror, type MirrorFile, type MirrorScan } from '../../src/service/feeds/import-mirror.ts';
import type { HistoryStore } from '../../src/service/ports.ts';
import { bodyOf, type DatedSeries, datedSeries, LOG_BYTES } from './dated-series.ts';

/** Rows of a scheduled source of evidence, or why it brought nothing. */
export interface TakenFeed {
  readonly feed: Feed;
  /** Time of its newest run; undefined: nothing was taken in. */
  readonly contentAt?: UnixMs;
  /** Its newest content. */
  readonly batch?: CaptureBatch;
  /** Versions taken in: more than one where the mirror holds a history. */
  readonly runs: number;
  readonly reason?: string;
}

/** A list that a server does not read by schedule. */
export interface OtherList {
  readonly name: string;
  readonly batch: CaptureBatch;
}

export interface TakenMirror {
  /** The moment everything is judged at. */
  readonly at: UnixMs;
  /** Every scheduled source of evidence of the catalogue, in its order. */
  readonly feeds: readonly TakenFeed[];
  readonly networkLists: readonly NetworkList[];
  /** Whole histories that were taken in. */
  readonly logs: readonly Extract<MirrorFile, { kind: 'feedlog' }>[];
  /** Lists of evidence in the mirror that are off the schedule. They are not taken in. */
  readonly offSchedule: readonly OtherList[];
}

/** Longest window of a type, two weeks of observed days included: older captures weigh nothing. */
const LOOK_BACK_MS = 45 * DAY_MS;

type Snapshot = Extract<MirrorFile, { kind: 'snapshot' }> & { readonly publishedAt: UnixMs | undefined };
/**
 * Takes the scheduled sources that the folders hold into the store, by the way a server takes a mirror in: parsers, bounds, clocks and modes are its own. A source
 * with a history that reaches to its snapshot is taken in with the history alone.
 * @param folders the first one that holds a source counts
 * @param givenAt the moment to judge at; left out, that of the newest content
 */
export async function takeInMirror(
  folders: readonly string[],
  store: HistoryStore,
  givenAt?: UnixMs,
): Promise<TakenMirror> {
  const scans = await Promise.all(folders.map((folder) => scanMirror(folder)));
  const snapshots = firstOfEach(scans);
  const dated = scans.flatMap(({ series }) => series).flatMap(datedSeries);
  const at = givenAt ?? newestOf(snapshots, dated);
  const histories = dated.filter(
    ({ file, from, to }) => isOnSchedule(file.feed) && from <= at && to > at - LOOK_BACK_MS && to <= at,
  );
  const reaches = new Map(histories.map(({ file, to }) => [file.feed.id, to]));
  const wanted = snapshots.filter(
    ({ feed, publishedAt = at }) =>
      isOnSchedule(feed) && publishedAt <= at && (reaches.get(feed.id) ?? 0) < publishedAt - DAY_MS,
  );
  const taken = new Map<string, TakenFeed>();
  const networkLists: NetworkList[] = [];
  const batches = new Map<string, CaptureBatch>();
  const parts = {
    store,
    states: memoryStates(),
    networks: { put: (_: Feed, list: NetworkList) => networkLists.push(list) > 0, knowsRelay: () => true },
    quarantine: NO_QUARANTINE,
    clock: { now: () => at },
    readerOf: (path: string) => rememberingReader(path, batches),
    bodyOf,
  };
  const scan: MirrorScan = {
    snapshots: wanted,
    series: histories.map(({ file }) => file),
    unknown: [],
    broken: [],
    newestAt: at,
    fingerprint: '',
  };
  for await (const { feed, path, outcome, runs } of importMirror(scan, parts, { series: true })) {
    const before = taken.get(feed.id);
    if (outcome.status !== 'accepted')
      taken.set(feed.id, { feed, runs: before?.runs ?? 0, reason: worded(outcome.reason) });
    else {
      const batch = batches.get(feed.id) ?? newestVersion(path, feed);
      taken.set(feed.id, {
        feed,
        runs: (before?.runs ?? 0) + runs,
        contentAt: outcome.runAt,
        ...(batch === undefined ? {} : { batch }),
      });
    }
  }
  const evidence = CATALOGUE.filter((feed) => isOnSchedule(feed) && feed.effect.kind === 'risk');
  return {
    at,
    feeds: evidence.map((feed) => taken.get(feed.id) ?? { feed, runs: 0 }),
    networkLists,
    logs: histories.flatMap(({ file }) => (file.kind === 'feedlog' ? [file] : [])),
    offSchedule: await Promise.all(
      snapshots.filter(({ feed }) => !isOnSchedule(feed) && feed.effect.kind === 'risk').map(otherList),
    ),
  };
}

const isOnSchedule = ({ scheduled }: Feed): boolean => scheduled !== false;

function firstOfEach(scans: readonly MirrorScan[]): readonly Snapshot[] {
  const found = new Map<string, Snapshot>();
  for (const { publishedAt, ...snapshot } of scans.flatMap(({ snapshots }) => snapshots))
    if (!found.has(snapshot.feed.id))
      found.set(snapshot.feed.id, { ...snapshot, publishedAt: requireTime(publishedAt) });
  return [...found.values()];
}

/** Newest time that scheduled evidence states. @throws Error when nothing in the folders has a time */
function newestOf(snapshots: readonly Snapshot[], series: readonly DatedSeries[]): UnixMs {
  const evidence = snapshots.filter(({ feed }) => isOnSchedule(feed) && feed.effect.kind === 'risk');
  const newest = Math.max(...evidence.map(({ publishedAt }) => publishedAt ?? 0), ...series.map(({ to }) => to), 0);
  if (newest === 0)
    throw new Error('no file in the folders has a time: write a manifest.json, or name the moment with --at');
  return unixMs(newest);
}

/** Entries of the newest version of a history. */
function newestVersion(path: string, feed: Feed): CaptureBatch | undefined {
  const present = new Set<string>();
  for (const line of new TextDecoder().decode(bodyOf(path, LOG_BYTES)).trimEnd().split('\n').slice(1)) {
    const { full, add = [], del = [] } = JSON.parse(line) as { full?: string[]; add?: string[]; del?: string[] };
    if (full !== undefined) present.clear();
    for (const entry of del) present.delete(entry);
    for (const entry of [...(full ?? []), ...add]) present.add(entry);
  }
  if (feed.effect.kind !== 'risk') return undefined;
  return parseFeed(
    new TextEncoder().encode([...present].join('\n')),
    { kind: 'lines', ports: true },
    { riskType: feed.effect.riskType },
  ).batch;
}

function rememberingReader(path: string, batches: Map<string, CaptureBatch>): FeedReader {
  return {
    read: async (feed) => {
      const reading = await readFeed({ from: 'file', feed, path });
      batches.set(feed.id, reading.parsed.batch);
      return reading;
    },
    keep: () => {},
  };
}

/** A refusal stays. */
const NO_QUARANTINE: Quarantine = {
  get: () => undefined,
  put: () => {},
  reader: () => {
    throw new Error('nothing is accepted out of quarantine');
  },
  drop: () => {},
};

function memoryStates() {
  const states = new Map<string, FeedState>();
  return {
    get: (id: string): FeedState => states.get(id) ?? { failures: 0, rows: 0, refused: {} },
    put: (id: string, state: FeedState): void => void states.set(id, state),
  };
}

async function otherList({ feed, path }: Snapshot): Promise<OtherList> {
  const { parsed } = await readFeed({ from: 'file', feed, path });
  return { name: feed.id, batch: parsed.batch };
}
