import type { Prefix } from '../ip/address.ts';
import { findSpecialPurpose } from '../ip/special-purpose.ts';

/** Most public space that proxies may lie in without a remark: as much as a prefix of this length, in bits. */
const WIDEST: Readonly<Record<4 | 6, number>> = { 4: 8, 6: 16 };

/** Whether so much public space is trusted as proxies that strangers are likely to be in it: they would choose the address they are counted under. */
export const trustsTooMany = (proxies: readonly Prefix[]): boolean =>
  ([4, 6] as const).some((family) => {
    const open = proxies.filter((prefix) => prefix.family === family && !isPrivate(prefix));
    return open.reduce((sum, { bits }) => sum + 2 ** -bits, 0) > 2 ** -WIDEST[family];
  });

/** Whether all of the prefix is space that is not globally reachable. */
function isPrivate(prefix: Prefix): boolean {
  const block = findSpecialPurpose(prefix);
  return block !== undefined && !block.globallyReachable && block.bits <= prefix.bits;
}
