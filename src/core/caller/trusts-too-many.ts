import type { Prefix } from '../ip/address.ts';
import { findSpecialPurpose } from '../ip/special-purpose.ts';

const WIDEST: Readonly<Record<4 | 6, number>> = { 4: 8, 6: 16 };

/**
 * Returns whether the proxies cover so much public space that strangers are likely to be in it, who could
 * then choose the address they are counted under.
 */
export const trustsTooMany = (proxies: readonly Prefix[]): boolean =>
  ([4, 6] as const).some((family) => {
    const open = proxies.filter((prefix) => prefix.family === family && !isPrivate(prefix));
    return open.reduce((sum, { bits }) => sum + 2 ** -bits, 0) > 2 ** -WIDEST[family];
  });

function isPrivate(prefix: Prefix): boolean {
  const block = findSpecialPurpose(prefix);
  return block !== undefined && !block.globallyReachable && block.bits <= prefix.bits;
}
