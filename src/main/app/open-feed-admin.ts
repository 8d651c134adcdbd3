import type { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { feedsFrom, openFeedStates, readFeedNotes } from '../../adapters/feeds/open-feeds.ts';
import type { FeedAdmin } from '../../apps/console/operator-routes.ts';
import type { Config } from '../../config.ts';
import type { ConsoleFeed } from '../../contract/console.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { type FeedStatus, faultOf, feedStatus } from '../../service/feeds/feed-health.ts';
import type { FeedNotes } from '../../service/feeds/feed-notes.ts';
import type { FeedState } from '../../service/feeds/feed-ports.ts';
import { quarantinedDocument } from '../../service/feeds/quarantined-document.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { Clock } from '../../service/ports.ts';

/** Can also list feeds without opening a file, without their quarantine. */
interface NotedFeedAdmin extends FeedAdmin {
  listNoted(notes: FeedNotes): readonly ConsoleFeed[];
}

const NEVER_READ: FeedState = { failures: 0, rows: 0, refused: {} };

export interface FeedAdminOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly refreshFeed: (id: string) => void;
  readonly acceptReading: HistoryThread['acceptReading'];
}

/** Describes feeds by their files in the data folder. */
export function openFeedAdmin({ config, clock, refreshFeed, acceptReading }: FeedAdminOptions): NotedFeedAdmin {
  const { catalogue, switches, quarantine } = openFeedStates(config);
  const byId = new Map(catalogue.map((feed) => [feed.id, feed]));
  const document = (feed: Feed, described: ConsoleFeed): ConsoleFeed => {
    const waiting = quarantine.get(feed.id);
    return { ...described, ...(waiting === undefined ? {} : { quarantine: quarantinedDocument(waiting) }) };
  };
  /** Sources are judged together, so the statuses are computed once for all of them. */
  const noted = ({ states: read, off, held }: FeedNotes): ((feed: Feed) => ConsoleFeed) => {
    const stateOf = (id: string): FeedState => read.get(id) ?? NEVER_READ;
    const known = { states: { get: stateOf }, off, held, from: feedsFrom(config) };
    const standings = feedStatus(catalogue, known, clock.now());
    return (feed) => {
      const state = stateOf(feed.id);
      const fault = faultOf(feed, known);
      return {
        id: feed.id,
        title: feed.title,
        feeds: feed.effect.kind === 'risk' ? feed.effect.riskType : 'network',
        rows: state.rows,
        ...standingDocument(standings.get(feed.id)!),
        clock: feed.clock,
        url: feed.url,
        licence: feed.licence,
        ...(state.lastSuccessAt === undefined ? {} : { last_success_at: isoTime(state.lastSuccessAt) }),
        ...(state.lastRunAt === undefined ? {} : { content_at: isoTime(state.lastRunAt) }),
        ...(fault === undefined || fault === '' ? {} : { last_error: fault }),
      };
    };
  };
  return {
    listNoted: (notes) => catalogue.map(noted(notes)),
    list() {
      const describe = noted(readFeedNotes(config));
      return catalogue.map((feed) => document(feed, describe(feed)));
    },
    refresh(id) {
      if (config.feeds === 'off' || !byId.has(id)) return false;
      refreshFeed(id);
      return true;
    },
    turn(id, to) {
      const feed = byId.get(id);
      if (feed === undefined) return undefined;
      switches.set(id, to);
      return document(feed, noted(readFeedNotes(config))(feed));
    },
    async accept(id, digest) {
      return byId.has(id) ? acceptReading(id, digest) : { status: 'none' };
    },
  };
}

const standingDocument = (status: FeedStatus): Pick<ConsoleFeed, 'state' | 'since' | 'left_out_because'> => ({
  state: status.state,
  ...('since' in status ? { since: isoTime(status.since) } : {}),
  ...('because' in status ? { left_out_because: status.because } : {}),
});
