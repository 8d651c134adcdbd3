import { type Feed, isOwnFeed } from '../../core/feeds/feed.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { reasonText, said, worded } from '../../core/texts/said.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { every, type RepeatedWork } from '../../service/every.ts';
import {
  dueAt,
  isSlow,
  type RunningReading,
  readingsToStart,
  WAITS_FOR_NETWORK_DATA,
} from '../../service/feeds/due-at.ts';
import { missingSources } from '../../service/feeds/feed-health.ts';
import type { FeedReader, FeedSwitchStore, MirrorContent } from '../../service/feeds/feed-ports.ts';
import { importMirror, type MirrorOptions, type MirrorScan } from '../../service/feeds/import-mirror.ts';
import { type RefreshOutcome, refreshFeed } from '../../service/feeds/refresh-feed.ts';
import type { SourcesReport } from '../../service/ports.ts';

export interface IngestLog {
  error(fields: object, message: string): void;
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
}

/** Feeds are read one by one on a schedule, from a folder that is synced as a whole, or not at all. */
export type IngestSource =
  | { readonly kind: 'schedule'; readonly reader: FeedReader; readonly feeds: readonly Feed[] }
  | { readonly kind: 'folder'; readonly scan: () => Promise<MirrorScan> }
  | { readonly kind: 'off' };

export interface IngestOptions extends MirrorOptions {
  readonly source: IngestSource;
  readonly catalogue: readonly Feed[];
  readonly switches: Pick<FeedSwitchStore, 'off'>;
  readonly mirror: MirrorContent;
  readonly onNetworkLists: (lists: readonly NetworkList[]) => void;
  readonly onHealth: (degraded: boolean, leftOut: SourcesReport) => void;
  readonly log: IngestLog;
  /** Called when feeds can no longer be looked at, and without a reason when they can again. */
  readonly onFault?: ((reason: string | undefined) => void) | undefined;
  readonly random: () => number;
}

const TICK_MS = 1000;
const FOLDER_MS = 10_000;

/** These faults are of the network as a whole rather than of one publisher: no name, no route, no listener. */
const UNREACHABLE = /: (ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN)$/;

/** A folder that is synced from elsewhere must not speak for own sensors. */
const OWN_BY_COMMAND: RefreshOutcome = {
  status: 'refused',
  reason: said('own data is taken in by command: `pulse feeds import DIR`, or `pulse evidence follow FILE`'),
};

interface Running extends RunningReading {
  readonly done: Promise<void>;
}

interface Plan {
  readonly at: UnixMs;
  readonly slow: boolean;
}

/** Keeps feeds fresh. `tick` does due work; `start` calls it on a timer. Reading, parsing and storing happen in its own thread. */
export class Ingest {
  readonly #parts: IngestOptions;
  readonly #due = new Map<string, Plan>();
  readonly #running = new Map<string, Running>();
  readonly #waiting = new Set<string>();
  #changed: NetworkList[] = [];
  #storeFailed = false;
  #ticks: RepeatedWork | undefined;
  #folderWork: Promise<void> | undefined;
  #folderLookedAt = Number.NEGATIVE_INFINITY;
  #taken: string | undefined;
  #seen = '';
  #healthAt = Number.NEGATIVE_INFINITY;
  #stopped = false;
  #unreachable = false;
  #isFolderSeen = false;
  #off: ReadonlySet<string>;

  constructor(parts: IngestOptions) {
    const { networks } = parts;
    this.#off = parts.switches.off();
    this.#parts = {
      ...parts,
      networks: {
        put: async (feed, list) => {
          const changed = await networks.put(feed, list);
          if (changed) this.#changed.push(list);
          return changed;
        },
        knowsRelay: () => networks.knowsRelay(),
      },
    };
  }

  start(): void {
    this.#announce();
    const { log, onFault } = this.#parts;
    this.#ticks ??= every('feeds', TICK_MS, () => this.tick(), { meanwhile: 'none is read', log, onFault });
    void this.#ticks.now();
  }

  async tick(): Promise<void> {
    if (this.#stopped) return;
    const { source, clock } = this.#parts;
    const now = clock.now();
    this.#lookAtSwitches();
    this.#readWaiting();
    if (source.kind === 'schedule') this.#startDue(source, now);
    if (source.kind === 'folder' && this.#folderWork === undefined && now - this.#folderLookedAt >= FOLDER_MS) {
      this.#folderLookedAt = now;
      this.#folderWork = this.#lookAtFolder(source.scan).finally(() => {
        this.#folderWork = undefined;
      });
    }
    if (this.#running.size === 0 && this.#folderWork === undefined) this.#reportNetworks();
    if (now - this.#healthAt >= MINUTE_MS) this.#reportHealth();
  }

  async idle(): Promise<void> {
    await this.#settled();
    this.#reportNetworks();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ticks?.stop();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    while (this.#running.size > 0 || this.#folderWork !== undefined)
      await Promise.all([...[...this.#running.values()].map(({ done }) => done), this.#folderWork]);
  }

  /** Reads one feed now, whatever its schedule says; a mirror folder is looked at as a whole. One that is being read already is left to finish. */
  refreshNow(id: string): void {
    const { source } = this.#parts;
    if (this.#stopped || source.kind === 'off') return;
    if (source.kind === 'folder') {
      this.#taken = undefined;
      this.#folderLookedAt = Number.NEGATIVE_INFINITY;
      return void this.#ticks?.now();
    }
    const feed = source.feeds.find((known) => known.id === id);
    if (feed !== undefined && !this.#running.has(id)) this.#begin(feed, source.reader, this.#parts.clock.now());
  }

  get degraded(): boolean {
    const { ids, expected } = this.leftOut;
    // The content of a folder is known from its first look on.
    const isUnseen = this.#parts.source.kind === 'folder' && !this.#isFolderSeen && expected === 0;
    return this.#storeFailed || isUnseen || ids.length > 0;
  }

  get leftOut(): SourcesReport {
    const { source, catalogue, states, mirror, clock } = this.#parts;
    const known = { states, off: this.#off, held: mirror.held(), from: source.kind };
    return missingSources(catalogue, known, clock.now());
  }

  /** A switch counts at the next tick. A folder is looked at again, since it may hold a source that was just switched on. */
  #lookAtSwitches(): void {
    const off = this.#parts.switches.off();
    if (off.size === this.#off.size && [...off].every((id) => this.#off.has(id))) return;
    this.#off = off;
    this.#taken = undefined;
    this.#folderLookedAt = Number.NEGATIVE_INFINITY;
    this.#reportHealth();
  }

  #readWaiting(): void {
    if (this.#waiting.size === 0 || this.#folderWork !== undefined || this.#parts.hasNetworkData?.() === false) return;
    const ids = [...this.#waiting];
    this.#waiting.clear();
    for (const id of ids) this.refreshNow(id);
  }

  #startDue(source: Extract<IngestSource, { kind: 'schedule' }>, now: UnixMs): void {
    const due = source.feeds.filter(
      (feed) => !this.#off.has(feed.id) && !this.#running.has(feed.id) && this.#planOf(feed, now).at <= now,
    );
    const candidates = due.map((feed) => ({ id: feed.id, slow: this.#planOf(feed, now).slow }));
    const ids = new Set(readingsToStart(candidates, [...this.#running.values()], now));
    for (const feed of due) if (ids.has(feed.id)) this.#begin(feed, source.reader, now);
  }

  #begin(feed: Feed, reader: FeedReader, startedAt: UnixMs): void {
    const { slow } = this.#planOf(feed, startedAt);
    this.#running.set(feed.id, { startedAt, slow, done: this.#refresh(feed, reader) });
  }

  #planOf(feed: Feed, now: UnixMs): Plan {
    return this.#due.get(feed.id) ?? this.#plan(feed, now);
  }

  #plan(feed: Feed, now: UnixMs): Plan {
    const state = this.#parts.states.get(feed.id);
    const plan = { at: dueAt(feed, state, now, this.#parts.random()), slow: isSlow(state) };
    this.#due.set(feed.id, plan);
    return plan;
  }

  async #refresh(feed: Feed, reader: FeedReader): Promise<void> {
    try {
      this.#report(feed, await refreshFeed(feed, reader, this.#parts));
    } catch (error) {
      // refreshFeed answers with outcomes; only the state files themselves can still fail.
      this.#parts.log.warn({ feed: feed.id, reason: String(error) }, 'feed state could not be written');
    } finally {
      this.#plan(feed, this.#parts.clock.now());
      this.#running.delete(feed.id);
    }
  }

  /** A folder is taken in when it has stayed the same for two looks, so that a sync in progress is left to finish; at the start at once. */
  async #lookAtFolder(scan: () => Promise<MirrorScan>): Promise<void> {
    try {
      const found = await scan();
      const settled = this.#taken === undefined || found.fingerprint === this.#seen;
      this.#seen = found.fingerprint;
      if (!settled || found.fingerprint === this.#taken) return;
      this.#parts.mirror.note(new Set(found.snapshots.map(({ feed }) => feed.id)));
      this.#isFolderSeen = true;
      for (const { path, reason } of found.broken)
        this.#parts.log.warn({ path, reason }, 'file of the mirror folder cannot be read');
      this.#reportHealth();
      if (this.#taken === undefined)
        this.#parts.log.info(
          { feeds: found.snapshots.length, unknown: found.unknown.length },
          'reading the mirror folder',
        );
      for (const { feed } of found.snapshots.filter(({ feed }) => isOwnFeed(feed))) this.#report(feed, OWN_BY_COMMAND);
      const wanted = {
        ...found,
        snapshots: found.snapshots.filter(({ feed }) => !this.#off.has(feed.id) && !isOwnFeed(feed)),
      };
      for await (const event of importMirror(wanted, this.#parts, { series: false })) {
        this.#report(event.feed, event.outcome);
        if (this.#stopped) return;
      }
      this.#taken = found.fingerprint;
    } catch (error) {
      this.#parts.log.warn({ reason: reasonText(error) }, 'mirror folder cannot be read; answering from what is here');
    }
  }

  #report(feed: Feed, outcome: RefreshOutcome): void {
    if (this.#stopped && outcome.status === 'failed') return;
    const { log } = this.#parts;
    const reason = outcome.status === 'accepted' ? '' : worded(outcome.reason);
    this.#storeFailed = outcome.status === 'failed' && outcome.store;
    if (outcome.status === 'accepted') {
      log.info(
        { feed: feed.id, rows: outcome.rows, changed: outcome.changed, folded_hosts: outcome.folded },
        'feed read',
      );
      this.#unreachable = false;
    } else if (outcome.status === 'refused' && outcome.reason.text === WAITS_FOR_NETWORK_DATA) {
      this.#waiting.add(feed.id);
      log.info({ feed: feed.id, reason }, 'feed is read later');
    } else if (outcome.status === 'failed' && UNREACHABLE.test(reason)) this.#reportUnreachable(feed, reason);
    else
      log.warn(
        { feed: feed.id, status: outcome.status, reason },
        'feed not taken in; the last good reading keeps serving',
      );
    this.#reportHealth();
  }

  /** A machine without a network says so once, not once a feed and retry; each feed's own error stays in its state (`pulse feeds list`). */
  #reportUnreachable(feed: Feed, reason: string): void {
    if (this.#unreachable) return;
    this.#unreachable = true;
    this.#parts.log.warn(
      { feed: feed.id, reason },
      'publishers cannot be reached: is there a network? Answering from what is here and trying again on schedule; `pulse feeds list` shows each feed',
    );
  }

  #reportNetworks(): void {
    if (this.#changed.length === 0) return;
    const lists = this.#changed;
    this.#changed = [];
    this.#parts.onNetworkLists(lists);
  }

  #reportHealth(): void {
    this.#healthAt = this.#parts.clock.now();
    this.#parts.onHealth(this.degraded, this.leftOut);
  }

  #announce(): void {
    const { source, log, catalogue, states } = this.#parts;
    const known = catalogue.filter((feed) => states.get(feed.id).lastSuccessAt !== undefined).length;
    const from =
      source.kind === 'schedule' ? 'their publishers' : source.kind === 'folder' ? 'a mirror folder' : 'nowhere (off)';
    log.info(
      { feeds: catalogue.length, read_before: known },
      `feeds come from ${from}; ${known} of ${catalogue.length} have been read on this machine`,
    );
  }
}
