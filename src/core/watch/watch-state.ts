import { type EvidenceState, LEVELS, type Level } from '../../contract/risk.ts';
import type { VerdictState } from '../risk/decay-changes.ts';
import type { UnixMs } from '../units.ts';
import type { WatchlistRequest } from './read-watchlist.ts';

export interface WatchState extends Pick<VerdictState, 'score' | 'level' | 'state' | 'override'> {
  readonly at: UnixMs;
}

export type WatchCause = 'capture' | 'decay' | 'override';

export interface WatchChange {
  readonly before: WatchState;
  readonly after: WatchState;
  readonly cause: WatchCause;
}

export const UNSEEN: Omit<WatchState, 'at'> = { score: 0, level: 'none', state: 'none', override: undefined };

export const isSameState = (a: Omit<WatchState, 'at'>, b: Omit<WatchState, 'at'>): boolean =>
  a.level === b.level && a.state === b.state && a.override === b.override;

/** Returns the steps from a known state through later ones; equal neighbours are one. */
export function watchChanges(known: WatchState, later: readonly WatchState[]): readonly WatchChange[] {
  const changes: WatchChange[] = [];
  let before = known;
  for (const after of later) {
    if (isSameState(before, after)) continue;
    changes.push({ before, after, cause: causeOf(before, after) });
    before = after;
  }
  return changes;
}

/** Evidence that was taken back counts as decay. */
const causeOf = (before: WatchState, after: WatchState): WatchCause =>
  before.override !== after.override ? 'override' : rankOf(after) > rankOf(before) ? 'capture' : 'decay';

const STATES: readonly EvidenceState[] = ['none', 'stale', 'active'];
const rankOf = ({ level, state }: WatchState): number => LEVELS.indexOf(level) * STATES.length + STATES.indexOf(state);

export function isTold({ before, after }: WatchChange, { on, minLevel }: WatchlistRequest): boolean {
  const isAsked = on.some((what) => before[what] !== after[what]);
  const reaches = (level: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(minLevel ?? 'none');
  return isAsked && (reaches(before.level) || reaches(after.level));
}
