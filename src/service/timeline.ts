import type { Timeline, TimelinePoint } from '../contract/timeline.ts';
import type { Observation } from '../core/evidence/capture.ts';
import type { Address } from '../core/ip/address.ts';
import { explain } from '../core/risk/explain.ts';
import { SCORE_PARAMETERS } from '../core/risk/parameters.ts';
import { verdict } from '../core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../core/units.ts';
import { isoTime } from './iso-time.ts';
import { readHistory } from './lookup-pulse.ts';
import { HISTORY_DAYS, type HistoryStore, type LookupView } from './ports.ts';

export interface TimelineQuestion {
  /** Taken before `now` was read, so that no capture in it is newer than now. */
  readonly view: LookupView;
  readonly address: Address;
  readonly account: { readonly dpa: boolean; readonly historyDays?: number };
  readonly now: UnixMs;
}

/** The course of a score: everything of `Timeline` but the answer of now. */
export type Course = Omit<Timeline, 'answer'>;

/** Steps of each half of the timeline; a half has one point more than steps. */
const STEPS = 120;

/**
 * How the score of an address stood in the account's window, and how it will fall if nothing is captured any more. The past is one read of the store,
 * and empty for IPv6, which has no history.
 * @param history undefined: this deployment keeps no history
 * @throws Problem history_unavailable
 */
export async function describeTimeline(
  history: Pick<HistoryStore, 'observationsAtEach' | 'earliest'> | undefined,
  { view, address, account, now }: TimelineQuestion,
): Promise<Course> {
  const network = view.network(address);
  const live = view.observations(address);
  const pointOf = (observations: readonly Observation[], at: UnixMs): TimelinePoint => {
    const { score, state } = verdict(observations, network, address.family, at, SCORE_PARAMETERS);
    return { at: isoTime(at), score, state };
  };
  const { below70At, below30At, zeroAt } = explain(live, network, address.family, now, SCORE_PARAMETERS);
  const earliest = history === undefined ? undefined : await readHistory(() => history.earliest());
  const from = Math.max(now - (account.historyDays ?? HISTORY_DAYS) * DAY_MS, earliest ?? now);
  const instants = history === undefined || address.family === 6 ? [] : evenly(from, now);
  const past = instants.length === 0 ? [] : await readHistory(() => history!.observationsAtEach(address, instants));
  const exits = [
    { below: 70, at: below70At },
    { below: 30, at: below30At },
    { below: 1, at: zeroAt },
  ] as const;
  return {
    window_from: isoTime(unixMs(from)),
    past: past.map((observations, index) => pointOf(observations, instants[index]!)),
    future: zeroAt === undefined ? [] : evenly(now, zeroAt).map((at) => pointOf(live, at)),
    exits: exits.flatMap(({ below, at }) => (at === undefined ? [] : [{ below, at: isoTime(account.dpa ? at : nextHour(at)) }])),
  };
}

/** Without a data-processing agreement exact times are withheld, and a capture's time follows from the moment its score leaves a band. */
const nextHour = (at: UnixMs): UnixMs => unixMs(Math.ceil(at / HOUR_MS) * HOUR_MS);

/** Whole milliseconds from `from` to `to`, both included. */
const evenly = (from: number, to: number): readonly UnixMs[] =>
  Array.from({ length: STEPS + 1 }, (_, index) => unixMs(Math.round(from + ((to - from) * index) / STEPS)));
