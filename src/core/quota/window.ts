import type { UnixMs } from '../units.ts';
import type { Allowance, WindowState } from './quota.ts';

/** Returns a window after these units. A plan with overage may have used more than its limit. */
export const windowOf = ({ limit }: Allowance, used: number, resetsAt: UnixMs): WindowState => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetsAt,
});

/** Returns the binding one of two windows: the one with the least left; among equals, that of the smaller limit. */
export const lowerWindow = (known: WindowState | undefined, other: WindowState): WindowState =>
  known === undefined ||
  other.remaining < known.remaining ||
  (other.remaining === known.remaining && other.limit < known.limit)
    ? other
    : known;
