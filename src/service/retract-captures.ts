import type { UnixMs } from '../core/units.ts';
import { isoTime } from './iso-time.ts';
import type { HistoryStore, Retraction, RetractionOutcome } from './ports.ts';
import { Problem } from './problem.ts';

/**
 * Takes the captures of one source back whose times lie in a stretch: an operator trusts it no more for that time. They count no more from now on; what was said
 * before stays on record as said.
 * @param wish.to before this moment
 * @throws Problem not_found for a source that never brought anything; bad_request for a list, and for a stretch that is empty or ends after now
 */
export async function retractCaptures(
  store: Pick<HistoryStore, 'retract'>,
  wish: Pick<Retraction, 'source' | 'from' | 'to'>,
  now: UnixMs,
): Promise<Extract<RetractionOutcome, { readonly status: 'retracted' }>> {
  if (wish.from >= wish.to) throw new Problem('bad_request', { message: 'Captures are taken back from a moment until before a later one.' });
  if (wish.to > now) throw new Problem('bad_request', { message: `It is ${isoTime(now)}: what is captured later cannot be taken back yet; revoke the key.` });
  const outcome = await store.retract({ ...wish, madeAt: now });
  if (outcome.status === 'retracted') return outcome;
  if (outcome.status === 'unknown_source') throw new Problem('not_found', { message: `There is no source ${JSON.stringify(wish.source)}.` });
  throw new Problem('bad_request', { message: `${wish.source} is a list, whose captures follow from its runs; switch it off with \`pulse feeds off\`.` });
}
