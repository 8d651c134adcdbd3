import { randomBytes } from 'node:crypto';
import { floorTo } from '../../core/evidence/drop-duplicates.ts';
import type { Address } from '../../core/ip/address.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { verdictState } from '../../core/risk/decay-changes.ts';
import type { Override } from '../../core/risk/override.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import {
  isSameState,
  isTold,
  UNSEEN,
  type WatchChange,
  type WatchState,
  watchChanges,
} from '../../core/watch/watch-state.ts';
import { isoTime } from '../iso-time.ts';
import { changeOptions, changesOf } from '../lookup/describe-changes.ts';
import { newId } from '../new-id.ts';
import type { HistoryTimeline, LookupView } from '../ports.ts';
import { watchTargets } from './watch-targets.ts';
import type { CheckOutcome, NewDelivery, Watchlist, WatchStates } from './watchlist-store.ts';

/**
 * - `view`: the view includes the account's own allow list.
 * - `history`: undefined if this deployment keeps no history: changes are then told with the moment of the check.
 */
export interface CheckOptions {
  readonly view: LookupView;
  readonly dpa: boolean;
  readonly history: HistoryTimeline | undefined;
  readonly overrides: readonly Override[];
  readonly states: WatchStates;
  readonly now: UnixMs;
}

/** A list whose account has a data-processing agreement is checked again after this time. */
const EVERY_MS = 5000;
/** One check takes in this many changed targets; the others follow in the next. */
const CHANGED_MAX = 1000;
const TARGETS_PER_TURN = 1000;

/**
 * Returns the changes of a list since its last check as deliveries. The moment of each follows from the history,
 * so that nothing is lost while no check ran. Without a data-processing agreement a list is checked at whole
 * hours, and its deliveries carry the hour.
 * @returns undefined before the hour is over
 */
export async function checkWatchlist(list: Watchlist, options: CheckOptions): Promise<CheckOutcome | undefined> {
  const { dpa, states, now } = options;
  const at = dpa ? now : floorTo(now, HOUR_MS);
  if (at <= list.checkedAt) return undefined;
  const changed = await changedTargets(list, options, at);
  const taken = changed.slice(0, CHANGED_MAX);
  const known = new Map<string, WatchState>();
  const deliveries: NewDelivery[] = [];
  for (const [ip, address, state] of taken) {
    const before = states.get(ip) ?? { ...UNSEEN, at: list.checkedAt };
    const later = dpa && address.family === 4 ? await exactStates(address, before, options) : [state];
    for (const change of watchChanges(before, later))
      if (isTold(change, list)) deliveries.push(delivery(list, ip, change));
    known.set(ip, later.at(-1)!);
  }
  const isDone = taken.length === changed.length;
  return { states: known, deliveries, checkedAt: isDone ? at : list.checkedAt, dueAt: dueLater(now, dpa || !isDone) };
}

export const dueLater = (now: UnixMs, dpa: boolean): UnixMs =>
  dpa ? unixMs(now + EVERY_MS) : unixMs(floorTo(now, HOUR_MS) + HOUR_MS);

type Changed = readonly [ip: string, address: Address, state: WatchState];

async function changedTargets(list: Watchlist, options: CheckOptions, at: UnixMs): Promise<readonly Changed[]> {
  const { view, states } = options;
  const targets = new Map(await watchTargets(view, list.entries));
  for (const ip of states.keys()) targets.set(ip, targets.get(ip) ?? parsePrefix(ip)!);
  const changed: Changed[] = [];
  let turn = 0;
  for (const [ip, address] of targets) {
    const state = watchState(options, address, at);
    if (!isSameState(states.get(ip) ?? UNSEEN, state)) changed.push([ip, address, state]);
    if (++turn % TARGETS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return changed;
}

/** Returns the state of an address now, under the moment that a list may tell. */
export function watchState(
  { view, now }: Pick<CheckOptions, 'view' | 'now'>,
  address: Address,
  at: UnixMs = now,
): WatchState {
  const { score, level, state, override } = verdictState(view.observations(address), now, changeOptions(view, address));
  return { score, level, state, override, at };
}

async function exactStates(
  address: Address,
  before: WatchState,
  { view, history, overrides, now }: CheckOptions,
): Promise<readonly WatchState[]> {
  if (history === undefined) return [watchState({ view, now }, address)];
  const earliest = (await history.earliest()) ?? now;
  const from = unixMs(Math.min(Math.max(before.at, earliest), now));
  const query = { view, address, account: { dpa: true }, from, to: now };
  const [start, changes] = await changesOf(history, overrides, query);
  const last = changes.at(-1) ?? start;
  return [...changes, { ...last, at: now }].map(({ score, level, state, override, at }) => {
    return { score, level, state, override, at };
  });
}

function delivery(list: Watchlist, ip: string, { before, after, cause }: WatchChange): NewDelivery {
  const stateOf = ({ score, level, state }: WatchState) => ({ score, level, evidence_state: state });
  const data = { watchlist_id: list.id, ip, before: stateOf(before), after: stateOf(after), cause };
  const body = JSON.stringify({ type: 'watchlist.changed', timestamp: isoTime(after.at), data });
  return { id: newId('msg', randomBytes), ip, body, at: after.at };
}
