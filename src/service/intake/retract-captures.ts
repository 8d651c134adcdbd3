import { english } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { HistoryUpkeep, RetractedCaptures, Retraction } from '../ports.ts';
import { Problem } from '../problem.ts';

/** Captures taken back, and their stretch. */
export type RetractedTime = RetractedCaptures & Pick<Retraction, 'from' | 'to'>;

/**
 * Takes the captures of one source back whose times lie in a stretch: an operator trusts it no more for that time. They count no more from now on; answers given
 * before stays on record as said.
 * Runs of a list, too: it counts again with the next run after the stretch.
 * @param wish.from left out: from the first one on
 * @param wish.to before this moment; left out: until now
 * @throws Problem not_found for a source that never brought anything; bad_request for a stretch that is empty or ends after now
 */
export async function retractCaptures(
  store: HistoryUpkeep,
  wish: Pick<Retraction, 'source'> & Partial<Pick<Retraction, 'from' | 'to'>>,
  now: UnixMs,
): Promise<RetractedTime> {
  // A capture of this very millisecond was accepted before.
  const { source, from = unixMs(0), to = unixMs(now + 1) } = wish;
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
  const outcome = await store.retract({ source, from, to, madeAt: now });
  if (outcome.status === 'retracted') return { ...outcome, from, to };
  throw new Problem('not_found', { message: english('There is no source {id}.', { id: JSON.stringify(source) }) });
}
