import { CATALOGUE } from '../../adapters/feeds/catalogue.ts';
import { feedsFrom } from '../../adapters/feeds/open-feeds.ts';
import type { Config } from '../../config.ts';
import type { ConsoleFeed } from '../../contract/console.ts';
import type { SourceStatus } from '../../contract/status.ts';
import { inLanguages } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import { type FeedStatus, faultOf, feedStatus } from '../../service/feeds/feed-health.ts';
import type { FeedNotes, FeedState } from '../../service/feeds/feed-ports.ts';
import { isoTime } from '../../service/iso-time.ts';

const NEVER_READ: FeedState = { failures: 0, rows: 0, refused: {} };

export function describeFeeds(
  config: Config,
  { states: read, off, held }: FeedNotes,
  now: UnixMs,
): readonly ConsoleFeed[] {
  const stateOf = (id: string): FeedState => read.get(id) ?? NEVER_READ;
  const known = { states: { get: stateOf }, off, held, from: feedsFrom(config) };
  // Sources are judged together, so the statuses are computed once for all of them.
  const standings = feedStatus(CATALOGUE, known, now);
  return CATALOGUE.map((feed) => {
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
      ...(fault === undefined ? {} : { last_error: inLanguages(fault) }),
    };
  });
}

export const describeSources = (config: Config, notes: FeedNotes, now: UnixMs): readonly SourceStatus[] =>
  describeFeeds(config, notes, now).map(({ last_error: _error, ...source }) => source);

const standingDocument = (status: FeedStatus): Pick<ConsoleFeed, 'state' | 'since' | 'left_out_because'> => ({
  state: status.state,
  ...('since' in status ? { since: isoTime(status.since) } : {}),
  ...('because' in status ? { left_out_because: status.because } : {}),
});
