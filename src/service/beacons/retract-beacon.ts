import type { By } from '../accounts/account-store.ts';
import { setTrust, type TrustOptions, type TrustOutcome } from '../intake/set-trust.ts';
import { Problem } from '../problem.ts';

/**
 * Withdraws the captures of a revoked beacon and accepts no more of them. A request that a node had admitted
 * before it knew of the revocation finds the source without trust. A beacon that was never called has nothing
 * to withdraw.
 * @throws Problem as `setTrust` does, except for a source that never sent anything
 */
export async function retractBeacon(
  store: Parameters<typeof setTrust>[0],
  options: TrustOptions,
  by: By,
): Promise<TrustOutcome> {
  return setTrust(store, options, by).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found')
      return { retracted: undefined, taken: { status: 'retracted', captures: 0, derivedRetracted: 0, derivedKept: 0 } };
    throw error;
  });
}
