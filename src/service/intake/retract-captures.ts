import { english } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { HistoryUpkeep, RetractedCaptures, Retraction } from '../ports.ts';
import { Problem } from '../problem.ts';

/** A retraction without its moment; a stretch without bounds is all time until now. */
export type RetractionWish = Partial<Pick<Retraction, 'from' | 'to'>> &
  (Pick<Retraction, 'source' | 'sender'> | { readonly source?: undefined; readonly sender: string });

/** Captures taken back, and their stretch. */
export type RetractedTime = RetractedCaptures & Pick<Retraction, 'from' | 'to'>;

/**
 * Takes back the captures of one source, of one key, or of both, whose times lie in a stretch: an operator trusts them no more for that time. They count no more
 * from now on; answers given before stay on record as said.
 * Runs of a list, too: it counts again with the next run after the stretch.
 * @param wish.from left out: from the first one on
 * @param wish.to before this moment; left out: until now
 * @throws Problem not_found for a source or key that never brought anything; bad_request for a stretch that is empty or ends after now
 */
export async function retractCaptures(store: HistoryUpkeep, wish: RetractionWish, now: UnixMs): Promise<RetractedTime> {
  // A capture of this very millisecond was accepted before.
  const { from = unixMs(0), to = unixMs(now + 1), ...of } = wish;
  if (from >= to)
    throw new Problem('bad_request', {
      message: english('Captures are taken back from a moment until before a later one.'),
    });
  if (wish.to !== undefined && wish.to > now)
    throw new Problem('bad_request', {
      message: english('It is {now}: what is captured later cannot be taken back yet; revoke the key.', {
        now: isoTime(now),
      }),
    });
  const outcome = await store.retract({ ...of, from, to, madeAt: now });
  if (outcome.status === 'retracted') return { ...outcome, from, to };
  const id = JSON.stringify(of.sender ?? of.source);
  throw new Problem('not_found', {
    message:
      of.sender === undefined
        ? english('There is no source {id}.', { id })
        : english('No captures came by the key {id}.', { id }),
  });
}
