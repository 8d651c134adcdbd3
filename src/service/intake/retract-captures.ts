import { said } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../iso-time.ts';
import type { HistoryUpkeep, RetractedCaptures, Retraction } from '../ports.ts';
import { Problem } from '../problem.ts';

/** Without bounds a retraction covers all time until now. */
export type RetractionOptions = Partial<Pick<Retraction, 'from' | 'to'>> &
  (Pick<Retraction, 'source' | 'sender'> | { readonly source?: undefined; readonly sender: string });

export type RetractedTime = RetractedCaptures & Pick<Retraction, 'from' | 'to'>;

/**
 * Withdraws the captures of one source, of one key, or of both, within a time range for which an operator no
 * longer trusts them. They stop counting now; earlier answers stay on record unchanged. Runs of a list are
 * withdrawn too; the list counts again with its next run after the range.
 * @param options.from default: the first capture
 * @param options.to end, exclusive; default: now
 * @throws Problem not_found for a source or key that never sent anything; bad_request for a range that is
 * empty or ends after now
 */
export async function retractCaptures(
  store: HistoryUpkeep,
  options: RetractionOptions,
  now: UnixMs,
): Promise<RetractedTime> {
  // A capture of this same millisecond was accepted before this call.
  const { from = unixMs(0), to = unixMs(now + 1), ...of } = options;
  if (from >= to)
    throw new Problem('bad_request', {
      message: said('Captures are taken back from a moment until before a later one.'),
    });
  if (options.to !== undefined && options.to > now)
    throw new Problem('bad_request', {
      message: said('It is {now}: what is captured later cannot be taken back yet; revoke the key.', {
        now: isoTime(now),
      }),
    });
  const outcome = await store.retract({ ...of, from, to, madeAt: now });
  if (outcome.status === 'retracted') return { ...outcome, from, to };
  const id = JSON.stringify(of.sender ?? of.source);
  throw new Problem('not_found', {
    message:
      of.sender === undefined
        ? said('There is no source {id}.', { id })
        : said('No captures came by the key {id}.', { id }),
  });
}
