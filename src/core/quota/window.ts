import type { UnixMs } from '../units.ts';
import type { Allowance, WindowState } from './quota.ts';

export const windowOf = ({ limit }: Allowance, used: number, resetsAt: UnixMs): WindowState => ({
  limit,
  remaining: used >= limit ? 0 : limit - used,
  resetsAt,
});

/** Returns the binding one of two allowances: the one with the least left; among equals, the smaller limit. */
export function binding(
  known: WindowState | undefined,
  allowance: Allowance,
  used: number,
  resetsAt: UnixMs,
): WindowState {
  const { limit } = allowance;
  if (known === undefined) return windowOf(allowance, used, resetsAt);
  const remaining = used >= limit ? 0 : limit - used;
  const isTighter = remaining < known.remaining || (remaining === known.remaining && limit < known.limit);
  return isTighter ? windowOf(allowance, used, resetsAt) : known;
}
