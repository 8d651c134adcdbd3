import type { HistoryThread } from '../../adapters/evidence/history-thread.ts';
import { openFeedStates, readFeedNotes } from '../../adapters/feeds/open-feeds.ts';
import type { FeedAdmin } from '../../apps/console/operator-routes.ts';
import type { Config } from '../../config.ts';
import type { ConsoleFeed } from '../../contract/console.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { inLanguages } from '../../core/texts/said.ts';
import { quarantinedDocument } from '../../service/feeds/accept-quarantined.ts';
import type { Clock } from '../../service/ports.ts';
import { describeFeeds } from './describe-feeds.ts';

export interface FeedAdminOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly refreshFeed: (id: string) => void;
  readonly acceptReading: HistoryThread['acceptReading'];
}

export function openFeedAdmin({ config, clock, refreshFeed, acceptReading }: FeedAdminOptions): FeedAdmin {
  const { catalogue, switches, quarantine } = openFeedStates(config);
  const byId = new Map(catalogue.map((feed) => [feed.id, feed]));
  const document = (feed: Feed, described: ConsoleFeed): ConsoleFeed => {
    const waiting = quarantine.get(feed.id);
    return {
      ...described,
      ...(waiting === undefined
        ? {}
        : { quarantine: { ...quarantinedDocument(waiting), reason: inLanguages(waiting.reason) } }),
    };
  };
  return {
    list() {
      const described = describeFeeds(config, readFeedNotes(config), clock.now());
      return catalogue.map((feed, index) => document(feed, described[index]!));
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
      const described = describeFeeds(config, readFeedNotes(config), clock.now());
      return document(feed, described[catalogue.indexOf(feed)]!);
    },
    async accept(id, digest) {
      return byId.has(id) ? acceptReading(id, digest) : { status: 'none' };
    },
  };
}
