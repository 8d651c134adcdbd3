import { followedFeeds, openFeedStates } from '../adapters/feeds/open-feeds.ts';
import type { Config } from '../config.ts';
import type { Feed } from '../core/feeds/feed.ts';
import { type Said, said, worded } from '../core/texts/said.ts';
import type { UnixMs } from '../core/units.ts';
import { type FollowedFeeds, faultOf, feedStatus, missingSources } from '../service/feeds/feed-health.ts';
import type { FeedState } from '../service/feeds/feed-ports.ts';
import { DEMO_COMMAND } from '../service/intake/record-demo.ts';

export async function feedRemarks(config: Config, now: UnixMs): Promise<readonly Said[]> {
  const files = openFeedStates(config);
  const { catalogue, quarantine } = files;
  const known = followedFeeds(config, files);
  const { ids, retired } = missingSources(catalogue, known, now);
  const standings = feedStatus(catalogue, known, now);
  const isAnyRead = catalogue.some(
    ({ id, effect }) => effect.kind === 'risk' && known.states.get(id).lastSuccessAt !== undefined,
  );
  const missing = (state: 'never_read' | 'late') => ids.filter((id) => standings.get(id)?.state === state);
  const waiting = catalogue.filter(({ id }) => quarantine.get(id) !== undefined).map(({ id }) => id);
  return [
    ...(known.from === 'off' ? [said('PULSE_FEEDS is off: no source is read')] : []),
    ...(isAnyRead
      ? []
      : [
          said(
            'no source was read yet: addresses that your own collection did not see get No record; to look around with invented evidence: {command}',
            { command: DEMO_COMMAND },
          ),
        ]),
    ...(
      [
        ['never read, see `pulse feeds list`: {names}', isAnyRead ? missing('never_read') : []],
        ['late, see `pulse feeds show NAME`: {names}', missing('late')],
        ['retired, replace them or `pulse feeds off NAME`: {names}', retired],
        ['in quarantine, see `pulse feeds show NAME`: {names}', waiting],
      ] as const
    ).flatMap(([what, names]) => (names.length === 0 ? [] : [said(what, { names: names.join(', ') })])),
    ...failing(catalogue, known),
  ];
}

/** One remark for each reason, whatever host it names: a dead network is one remark. */
function failing(catalogue: readonly Feed[], known: FollowedFeeds): readonly Said[] {
  const faults = catalogue.flatMap(({ id }) => {
    const fault = faultOf({ id }, known);
    return fault === undefined ? [] : [{ id, why: withoutHost(fault) }];
  });
  return [...Map.groupBy(faults, ({ why }) => worded(why)).values()].map((same) => {
    const names = same.map(({ id }) => id).join(', ');
    const { why } = same[0]!;
    return same.length === 1
      ? said('{id} fails: {why}', { id: names, why })
      : said('{names} fail: {why}', { names, why });
  });
}

function withoutHost({ text, values }: Said): Said {
  const { why } = values;
  return text === '{host}: {why}' && typeof why === 'object' && 'text' in why ? why : { text, values };
}

export function feedStates(config: Pick<Config, 'dataDir'>): readonly (FeedState & { readonly id: string })[] {
  const { catalogue, states } = openFeedStates(config);
  try {
    return catalogue
      .map(({ id }) => ({ id, ...states.get(id) }))
      .filter(({ lastAttemptAt }) => lastAttemptAt !== undefined);
  } catch {
    return [];
  }
}
