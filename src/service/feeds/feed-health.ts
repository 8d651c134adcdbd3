import type { Feed } from '../../core/feeds/feed.ts';
import { type FollowedSource, type SourceState, sourceStates } from '../../core/feeds/source-states.ts';
import type { Said } from '../../core/texts/said.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { SourceHealth, SourcesReport } from '../ports.ts';
import type { FeedState, FeedStates } from './feed-ports.ts';

function isOverdue(feed: Pick<Feed, 'maxAgeHours'>, { lastSuccessAt, lastRunAt }: FeedState, now: UnixMs): boolean {
  if (lastSuccessAt === undefined) return false;
  return now - (lastRunAt ?? lastSuccessAt) > feed.maxAgeHours * HOUR_MS;
}

export const isOnSchedule = ({ scheduled, url }: Pick<Feed, 'scheduled' | 'url'>): boolean =>
  scheduled !== false && url !== '';

export type FeedsFrom = 'schedule' | 'folder' | 'off';

export interface FollowedFeeds {
  readonly states: Pick<FeedStates, 'get'>;
  readonly off: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
  readonly from: FeedsFrom;
}

export type FeedStatus =
  | SourceState
  | { readonly state: 'off' }
  | { readonly state: 'left_out'; readonly because: string };

type Judged = Pick<Feed, 'id' | 'maxAgeHours' | 'url' | 'scheduled' | 'offScheduleBecause'> & {
  readonly effect?: Feed['effect'];
};

function whyNotExpected(feed: Judged, { states, off, held, from }: FollowedFeeds): FeedStatus | undefined {
  if (off.has(feed.id)) return { state: 'off' };
  const because = (reason: string): FeedStatus => ({ state: 'left_out', because: reason });
  if (!isOnSchedule(feed)) return because(feed.offScheduleBecause ?? 'it has no publisher’s address');
  if (from === 'off') return because('PULSE_FEEDS is off');
  if (from === 'folder' && !held.has(feed.id) && states.get(feed.id).lastSuccessAt === undefined)
    return because('the mirror folder does not hold it');
  return undefined;
}

export function feedStatus(
  feeds: readonly Judged[],
  known: FollowedFeeds,
  now: UnixMs,
): ReadonlyMap<string, FeedStatus> {
  const standings = new Map<string, FeedStatus>();
  const expected: Judged[] = [];
  for (const feed of feeds) {
    const standing = whyNotExpected(feed, known);
    if (standing === undefined) expected.push(feed);
    else standings.set(feed.id, standing);
  }
  for (const kind of new Set(expected.map(kindOf))) {
    const same = expected.filter((feed) => kindOf(feed) === kind);
    const states = sourceStates(
      same.map((feed) => followed(feed, known.states.get(feed.id))),
      now,
    );
    for (const [index, state] of states.entries()) standings.set(same[index]!.id, state);
  }
  return standings;
}

const kindOf = ({ effect }: Judged): string | undefined => effect?.kind;

const followed = (
  { maxAgeHours }: Pick<Feed, 'maxAgeHours'>,
  { lastSuccessAt, lastRunAt }: FeedState,
): FollowedSource => ({
  boundMs: maxAgeHours * HOUR_MS,
  readAt: lastSuccessAt,
  contentAt: lastRunAt,
});

export function missingSources(feeds: readonly Feed[], known: FollowedFeeds, now: UnixMs): SourcesReport {
  const evidence = feeds.filter(({ effect }) => effect.kind === 'risk');
  const standings = feedStatus(evidence, known, now);
  const inState = (...wanted: readonly FeedStatus['state'][]): readonly string[] =>
    evidence.map(({ id }) => id).filter((id) => wanted.includes(standings.get(id)!.state));
  const lateSince = [...standings.values()].flatMap((one) => (one.state === 'late' ? [one.since] : []));
  return {
    ids: inState('never_read', 'late'),
    retired: inState('retired'),
    expected: inState('current', 'never_read', 'late').length,
    ...(lateSince.length === 0 ? {} : { since: unixMs(Math.min(...lateSince)) }),
  };
}

/**
 * Returns why a feed could not be read by the way in which it comes now. A fault from before PULSE_FEEDS was
 * changed is gone.
 */
export function faultOf({ id }: Pick<Feed, 'id'>, { states, off, held, from }: FollowedFeeds): Said | undefined {
  const isRead = from === 'schedule' || (from === 'folder' && held.has(id));
  const { failures, error } = states.get(id);
  return isRead && !off.has(id) && failures > 0 ? error : undefined;
}

export function feedHealth(feeds: readonly Feed[], states: FeedStates, now: UnixMs): readonly SourceHealth[] {
  return feeds.map((feed) => {
    const state = states.get(feed.id);
    return {
      id: feed.id,
      ...(feed.effect.kind === 'risk' ? { riskType: feed.effect.riskType } : {}),
      ...(state.lastRunAt === undefined ? {} : { lastRunAt: state.lastRunAt }),
      ...(state.lastSuccessAt === undefined ? {} : { lastReadAt: state.lastSuccessAt }),
      ...(state.lastErrorAt === undefined ? {} : { lastErrorAt: state.lastErrorAt }),
      rows: state.rows,
      overdue: isOverdue(feed, state, now),
    };
  });
}
