import type { Explanation, IPTimeline } from '../../contract/documents.ts';
import type { Timeline, TimelinePoint } from '../../contract/timeline.ts';
import { ceilTo, coarseCaptures } from '../../core/evidence/drop-duplicates.ts';
import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { knownGoodCapOf } from '../../core/risk/known-good.ts';
import type { Override } from '../../core/risk/override.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import { HISTORY_DAYS, type HistoryTimeline, type LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import { describeChanges } from './describe-changes.ts';
import { isOnRecord, type PulseQuery, readHistory, windowFrom } from './lookup-pulse.ts';

export interface TimelineQuery {
  readonly view: LookupView;
  readonly address: Address;
  readonly account: { readonly dpa: boolean; readonly historyDays?: number };
  readonly now: UnixMs;
  readonly leaves: Explanation['leaves'];
}

export type TimelineFacts = Omit<Timeline, 'answer' | 'explanation' | 'kinds'>;

const STEPS = 120;

/**
 * Scores of an address in the account's window, and their decay if no further capture comes. The past is one
 * read of the store; it is empty for IPv6, which has no history.
 *
 * Without a data-processing agreement exact times are withheld, and a dense series of scores would reveal the
 * time of a capture. Every point except now therefore stands on a whole hour, and its score is computed from
 * captures moved to their hour.
 * @param history undefined when this deployment keeps no history
 * @throws Problem history_unavailable
 */
export async function describeTimeline(
  history: Pick<HistoryTimeline, 'earliest' | 'observationsAtEach'> | undefined,
  { view, address, account, now, leaves }: TimelineQuery,
): Promise<TimelineFacts> {
  const network = view.network(address);
  const live = view.observations(address);
  const shield = knownGoodCapOf(view.protection, address);
  const resolutionMs = account.dpa ? 1 : HOUR_MS;
  const shown = (observations: readonly Observation[]) => coarseCaptures(observations, resolutionMs);
  const pointOf = (observations: readonly Observation[], at: UnixMs): TimelinePoint => {
    const { score, state } = verdict(observations, network, address.family, at, SCORE_PARAMETERS, shield);
    return { at: isoTime(at), score, state };
  };
  const earliest = history === undefined ? undefined : await readHistory(() => history.earliest());
  const from = Math.max(now - (account.historyDays ?? HISTORY_DAYS) * DAY_MS, earliest ?? now);
  const instants =
    history === undefined || address.family === 6
      ? []
      : [...evenly(from, now, resolutionMs).filter((at) => at < now), now];
  // A capture at a whole hour belongs to the hour that begins there, so a point on that hour knows only
  // earlier captures.
  const known = account.dpa ? instants : instants.map((at) => (at === now ? now : unixMs(at - 1)));
  const past = instants.length === 0 ? [] : await readHistory(() => history!.observationsAtEach(address, known));
  const end = leaves.at(-1)?.at;
  const ahead = end === undefined ? [] : evenly(now, Date.parse(end), resolutionMs).filter((at) => at > now);
  return {
    window_from: isoTime(unixMs(from)),
    past: past.map((observations, index) =>
      pointOf(instants[index] === now ? observations : shown(observations), instants[index]!),
    ),
    future: end === undefined ? [] : [pointOf(live, now), ...ahead.map((at) => pointOf(shown(live), at))],
  };
}

const evenly = (from: number, to: number, resolutionMs: number): readonly UnixMs[] => {
  const instants = Array.from({ length: STEPS + 1 }, (_, index) =>
    ceilTo(Math.round(from + ((to - from) * index) / STEPS), resolutionMs),
  );
  return [...new Set(instants)].filter((at) => at <= to);
};

export interface TimelineLookupQuery extends Omit<PulseQuery, 'moment'> {
  /** Default: the beginning of the account's window. */
  readonly from: UnixMs | undefined;
  readonly to: UnixMs;
}

export class TimelineLookup {
  readonly #history: HistoryTimeline | undefined;
  readonly #overrides: () => Promise<readonly Override[]>;

  constructor(history: HistoryTimeline | undefined, overrides: () => Promise<readonly Override[]>) {
    this.#history = history;
    this.#overrides = overrides;
  }

  /** The caller has checked the beginning. @throws Problem history_not_enabled, not_found, history_unavailable */
  async changes({ from, now, ...query }: TimelineLookupQuery): Promise<IPTimeline> {
    const history = this.#history;
    if (history === undefined) throw new Problem('history_not_enabled');
    const { view, address, account } = query;
    if (!isOnRecord(view, address, now)) throw new Problem('not_found', { message: 'No record for this address.' });
    const earliest = windowFrom(now, account.historyDays, await readHistory(() => history.earliest()));
    const overrides = await this.#overrides();
    return describeChanges(history, overrides, { ...query, from: from ?? earliest, windowFrom: earliest });
  }
}
