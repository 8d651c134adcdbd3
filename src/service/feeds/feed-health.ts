import type { Feed } from '../../core/feeds/feed.ts';
import { type FollowedSource, type SourceState, sourceStates } from '../../core/feeds/source-states.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { SourceHealth, SourcesNote } from '../ports.ts';
import type { FeedState, FeedStates } from './feed-ports.ts';

/** Content older than its bound, however often it was read since. A feed that never succeeded is not overdue. */
function isOverdue(feed: Pick<Feed, 'maxAgeHours'>, { lastSuccessAt, lastRunAt }: FeedState, now: UnixMs): boolean {
  if (lastSuccessAt === undefined) return false;
  return now - (lastRunAt ?? lastSuccessAt) > feed.maxAgeHours * HOUR_MS;
}

/** Whether the schedule reads a feed; any other is read by name or from files alone, and verdicts do not expect it. */
export const isScheduled = ({ scheduled, url }: Pick<Feed, 'scheduled' | 'url'>): boolean =>
  scheduled !== false && url !== '';

/** Role of a feed in verdicts; `left_out`: the catalogue keeps it off the schedule, for this reason. */
export type FeedStanding =
  | SourceState
  | { readonly state: 'off' }
  | { readonly state: 'left_out'; readonly because: string };

type Judged = Pick<Feed, 'id' | 'maxAgeHours' | 'url' | 'scheduled' | 'offScheduleBecause'> & {
  readonly effect?: Feed['effect'];
};

/** Role of each feed in verdicts, by id. Evidence, lists about networks and lists of phone numbers are judged apart. */
export function feedStandings(
  feeds: readonly Judged[],
  states: Pick<FeedStates, 'get'>,
  off: ReadonlySet<string>,
  now: UnixMs,
): ReadonlyMap<string, FeedStanding> {
  const standings = new Map<string, FeedStanding>();
  const expected = feeds.filter((feed) => isScheduled(feed) && !off.has(feed.id));
  for (const kind of new Set(expected.map(kindOf))) {
    const same = expected.filter((feed) => kindOf(feed) === kind);
    for (const [index, state] of statesOf(same, states, now).entries()) standings.set(same[index]!.id, state);
  }
  for (const feed of feeds) {
    if (off.has(feed.id)) standings.set(feed.id, { state: 'off' });
    else if (!isScheduled(feed))
      standings.set(feed.id, {
        state: 'left_out',
        because: feed.offScheduleBecause ?? 'it has no publisher’s address',
      });
  }
  return standings;
}

const kindOf = ({ effect }: Judged): string | undefined => effect?.kind;

const statesOf = (
  feeds: readonly Pick<Feed, 'id' | 'maxAgeHours'>[],
  states: Pick<FeedStates, 'get'>,
  now: UnixMs,
): readonly SourceState[] =>
  sourceStates(
    feeds.map((feed) => followed(feed, states.get(feed.id))),
    now,
  );

const followed = (
  { maxAgeHours }: Pick<Feed, 'maxAgeHours'>,
  { lastSuccessAt, lastRunAt }: FeedState,
): FollowedSource => ({
  boundMs: maxAgeHours * HOUR_MS,
  readAt: lastSuccessAt,
  contentAt: lastRunAt,
});

/** Sources that verdicts lack, by the notes of a data folder. @param from how PULSE_FEEDS has sources come */
export function leftOutByNotes(
  feeds: readonly Feed[],
  states: Pick<FeedStates, 'get'>,
  off: ReadonlySet<string>,
  now: UnixMs,
  from: FeedsFrom,
): SourcesNote {
  const wasThere = ({ id }: Feed): boolean =>
    from === 'schedule' || (from === 'folder' && states.get(id).lastAttemptAt !== undefined);
  return leftOut(
    feeds.filter((feed) => isScheduled(feed) && !off.has(feed.id) && wasThere(feed)),
    states,
    now,
  );
}

/** How sources come: one by one on a schedule, from a folder as a whole, or not at all. */
export type FeedsFrom = 'schedule' | 'folder' | 'off';

/** Expected sources that verdicts lack. Lists about networks do not count: they are not evidence. @param expected scheduled and not switched off */
export function leftOut(expected: readonly Feed[], states: Pick<FeedStates, 'get'>, now: UnixMs): SourcesNote {
  const evidence = expected.filter(({ effect }) => effect.kind === 'risk');
  const judged = statesOf(evidence, states, now);
  const idsOf = (...wanted: readonly SourceState['state'][]): readonly string[] =>
    evidence.filter((_, index) => wanted.includes(judged[index]!.state)).map(({ id }) => id);
  const [ids, retired] = [idsOf('never_read', 'late'), idsOf('retired')];
  const lateSince = judged.flatMap((known) => (known.state === 'late' ? [known.since] : []));
  return {
    ids,
    retired,
    expected: evidence.length - retired.length,
    ...(lateSince.length === 0 ? {} : { since: unixMs(Math.min(...lateSince)) }),
  };
}

/** State of every feed, as pages and metrics show it. */
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
