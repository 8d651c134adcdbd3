import { randomBytes } from 'node:crypto';
import { floorTo } from '../../core/evidence/drop-duplicates.ts';
import type { Address } from '../../core/ip/address.ts';
import { byFamily } from '../../core/ip/address-set.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { leadsInside } from '../../core/ip/special-purpose.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { verdictState } from '../../core/risk/decay-changes.ts';
import type { Override } from '../../core/risk/override.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { readWatchlist } from '../../core/watch/read-watchlist.ts';
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
import { Problem } from '../problem.ts';
import { isWatched, watchTargets } from './watch-targets.ts';
import type {
  CheckOutcome,
  NewDelivery,
  Watchlist,
  WatchlistCheck,
  WatchlistStore,
  WatchStates,
} from './watchlist-store.ts';

/**
 * - `view`: the view includes the account's own allow list.
 * - `history`: undefined if this deployment keeps no history: changes are then told with the moment of the check.
 */
interface CheckOptions {
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
function watchState({ view, now }: Pick<CheckOptions, 'view' | 'now'>, address: Address, at: UnixMs = now): WatchState {
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

const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const CAPTURED_MAX = 10_000;

interface WatchlistSender {
  readonly accountId: string;
  readonly view: LookupView;
  readonly at: UnixMs;
  readonly check: WatchlistCheck;
  /** Inside addresses and prefixes that webhooks may lead to. */
  readonly allowed: readonly string[];
}

/**
 * Creates or replaces a watch list (decisions 10.6). New entries are watched from now on; those that stay lose
 * no change.
 * @throws Problem bad_request
 */
export async function setWatchlist(
  store: WatchlistStore,
  id: string,
  body: unknown,
  { accountId, view, at, check, allowed }: WatchlistSender,
): Promise<Watchlist & { readonly isNew: boolean }> {
  const request = readWatchlist(body);
  if (typeof request === 'string') throw new Problem('bad_request', { message: request });
  if (isNeverCalled(request.url, allowed))
    throw new Problem('bad_request', {
      message: 'webhook.url leads inside, where no webhook is sent unless the operator allows it: PULSE_WEBHOOK_ALLOW.',
    });
  if (!ID.test(id))
    throw new Problem('bad_request', {
      message: 'The id of a watch list has 1 to 64 lower-case letters, digits, - and _.',
    });
  const before = await store.find(accountId, id);
  const wasWatched = isWatched(before?.entries ?? []);
  const baseline = new Map<string, WatchState>();
  for (const [ip, address] of await watchTargets(view, request.entries)) {
    const state = watchState({ view, now: at }, address);
    if (state.state !== 'none' || state.override !== undefined) baseline.set(ip, state);
  }
  if (baseline.size > CAPTURED_MAX)
    throw new Problem('bad_request', {
      message: `The entries hold ${baseline.size} addresses with evidence; a list watches at most ${CAPTURED_MAX}.`,
    });
  for (const ip of baseline.keys()) if (wasWatched(ip)) baseline.delete(ip);
  const nonce = randomBytes(16).toString('base64url');
  const list = { ...request, id, accountId, nonce, createdAt: at, checkedAt: at };
  const by = { actor: `user:${accountId}`, at } as const;
  const put = await store.put(list, baseline, isWatched(request.entries), by, ACCOUNT_CAPS.watchlists, check);
  if (put === 'too_many')
    throw new Problem('bad_request', { message: `An account has at most ${ACCOUNT_CAPS.watchlists} watch lists.` });
  return { ...put, isNew: put.nonce === nonce };
}

/** Whether a URL names an inside address, or this machine. What a name resolves to is judged at each delivery. */
function isNeverCalled(url: string, allowed: readonly string[]): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const address = parsePrefix(/(^|\.)localhost$/.test(host) ? '127.0.0.1' : host);
  if (address === undefined || !leadsInside(address)) return false;
  return !byFamily(allowed.map((entry) => parsePrefix(entry)!))[address.family].overlaps(address);
}
