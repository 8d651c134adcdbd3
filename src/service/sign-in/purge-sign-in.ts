import { LIFETIME_SEC } from '../../core/oauth/lifetimes.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { SecondFactorStore } from '../accounts/second-factor-store.ts';
import type { OAuthStore } from './oauth-store.ts';
import type { SessionStore } from './session.ts';
import type { SignInStore } from './sign-in.ts';

/**
 * Deletes expired sessions, links, steps and tokens, and registered clients that were never approved. It is
 * safe to run on any node at any time.
 */
export async function purgeSignIn(
  stores: {
    readonly oauth: OAuthStore;
    readonly sessions: SessionStore;
    readonly signIn: SignInStore;
    readonly factors: Pick<SecondFactorStore, 'purgeSteps'>;
  },
  at: UnixMs,
): Promise<void> {
  await stores.oauth.purge(at, unixMs(at - LIFETIME_SEC.unusedClient * 1000));
  await stores.sessions.purge(at);
  await stores.signIn.purge(at);
  await stores.factors.purgeSteps(at);
}
