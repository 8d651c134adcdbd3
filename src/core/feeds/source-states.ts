import { DAY_MS, type UnixMs, unixMs } from '../units.ts';

/** The state at an instant ignores everything that was read after it. */
export interface FollowedSource {
  readonly boundMs: number;
  readonly readAt: UnixMs | undefined;
  readonly contentAt: UnixMs | undefined;
}

/**
 * The role of an expected source in verdicts (decisions 4.12). `late`: unread, failing or holding content
 * older than its bound since that moment. `retired`: it has published nothing new for so long that it is not
 * expected until it does; its last content stays and ages.
 */
export type SourceState =
  | { readonly state: 'current' }
  | { readonly state: 'never_read' }
  | { readonly state: 'late' | 'retired'; readonly since: UnixMs };

/**
 * A publisher that is silent for this long has stopped: for 30 days, or for ten times its bound where that is
 * longer.
 */
const retiredAfterMs = (boundMs: number): number => Math.max(30 * DAY_MS, 10 * boundMs);

/** Judges sources together: while none is current the fault may be ours, and nothing is retired. */
export function sourceStates(sources: readonly FollowedSource[], at: UnixMs): readonly SourceState[] {
  const alone = sources.map((source) => stateOf(source, at));
  const followed = alone.some(({ state }) => state === 'current');
  return alone.map((known, index) => (followed ? retiredIf(known, sources[index]!, at) : known));
}

function stateOf({ boundMs, readAt, contentAt = readAt }: FollowedSource, at: UnixMs): SourceState {
  if (readAt === undefined || contentAt === undefined) return { state: 'never_read' };
  const since = unixMs(Math.min(readAt, contentAt) + boundMs);
  return at > since ? { state: 'late', since } : { state: 'current' };
}

function retiredIf(
  known: SourceState,
  { boundMs, readAt, contentAt = readAt }: FollowedSource,
  at: UnixMs,
): SourceState {
  if (known.state !== 'late' || contentAt === undefined) return known;
  const since = unixMs(contentAt + retiredAfterMs(boundMs));
  return at >= since ? { state: 'retired', since } : known;
}
