import { randomBytes } from 'node:crypto';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import type { UnixMs } from '../../core/units.ts';
import { readWatchlist } from '../../core/watch/read-watchlist.ts';
import type { WatchState } from '../../core/watch/watch-state.ts';
import type { LookupView } from '../ports.ts';
import { Problem } from '../problem.ts';
import { watchState } from './check-watchlist.ts';
import { isWatched, watchTargets } from './watch-targets.ts';
import type { Watchlist, WatchlistCheck, WatchlistStore } from './watchlist-store.ts';

const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const CAPTURED_MAX = 10_000;

export interface WatchlistSender {
  readonly accountId: string;
  readonly view: LookupView;
  readonly at: UnixMs;
  readonly check: WatchlistCheck;
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
  { accountId, view, at, check }: WatchlistSender,
): Promise<Watchlist & { readonly isNew: boolean }> {
  const request = readWatchlist(body);
  if (typeof request === 'string') throw new Problem('bad_request', { message: request });
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
