import { isPlainName } from '../../core/caller/sent-key.ts';
import { DERIVED_ID } from '../../core/collection/derive/derivation-rules.ts';
import { said } from '../../core/texts/said.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import { isoTime } from '../iso-time.ts';
import type { HistoryUpkeep, RetractedCaptures, Trust } from '../ports.ts';
import { Problem } from '../problem.ts';

export interface TrustOptions {
  readonly source: string;
  readonly trust: Trust;
  /** Covers captures with times from this moment on; undefined for now. */
  readonly since?: UnixMs | undefined;
  readonly reason?: string | undefined;
}

export interface TrustOutcome {
  /** Captures of this range were withdrawn, and later deliveries of it are refused; undefined for none. */
  readonly retracted: { readonly from: UnixMs; readonly to: UnixMs } | undefined;
  readonly taken: RetractedCaptures;
}

const REASON_MAX = 500;

/**
 * Sets whether captures of a source are accepted. `none`: its batches and runs are refused from now on, and
 * those it brought since a moment are withdrawn in the same step. `full`: they are accepted again. Captures
 * from the time without trust, or up to a later moment that the operator names, stay refused if their sender
 * kept them.
 * @throws Problem not_found for a source that never sent anything; bad_request for `derived`, for a future
 * time and without a reason
 */
export async function setTrust(store: HistoryUpkeep, options: TrustOptions, by: By): Promise<TrustOutcome> {
  const { source, trust, since } = options;
  const reason = (options.reason ?? '').trim();
  if (source === DERIVED_ID)
    throw new Problem('bad_request', {
      message: said('Derived captures follow from those of sensors: withdraw the trust of these.'),
    });
  if (trust === 'none' && reason === '')
    throw new Problem('bad_request', { message: said('Say why the trust is withdrawn.') });
  if (reason.length > REASON_MAX || !isPlainName(reason))
    throw new Problem('bad_request', {
      message: said('A reason has at most {max} characters, and none that are not seen.', { max: REASON_MAX }),
    });
  if (since !== undefined && since > by.at)
    throw new Problem('bad_request', {
      message: said('It is {now}: a change of trust cannot begin later.', { now: isoTime(by.at) }),
    });
  const before = (await store.trusts()).find((one) => one.source === source);
  const retracted =
    trust === 'none'
      ? sinceThen(since, by.at)
      : untrustedTime(before?.trust === 'none' ? before.madeAt : undefined, since ?? by.at);
  const taken = await store.setTrust({
    source,
    trust,
    madeAt: by.at,
    actor: by.actor,
    reason,
    ...(retracted === undefined ? {} : { retracted }),
  });
  if (taken.status === 'retracted') return { retracted, taken };
  throw new Problem('not_found', { message: said('There is no source {id}.', { id: JSON.stringify(source) }) });
}

/** A capture of this same millisecond was accepted before the change. */
const sinceThen = (since: UnixMs | undefined, now: UnixMs): TrustOutcome['retracted'] =>
  since && { from: since, to: unixMs(now + 1) };

function untrustedTime(withdrawnAt: UnixMs | undefined, until: UnixMs): TrustOutcome['retracted'] {
  return withdrawnAt === undefined || withdrawnAt >= until ? undefined : { from: withdrawnAt, to: until };
}
