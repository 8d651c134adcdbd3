import type { OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import type { Limiter } from '../../service/limiter.ts';
import type { Clock } from '../../service/ports.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';
import type { Sessions } from '../../service/sign-in/session.ts';
import type { SignIn } from '../../service/sign-in/sign-in.ts';
import type { DeviceCookie } from '../console/session/device-cookie.ts';
import type { SessionCookie } from '../console/session/session-cookie.ts';
import type { Log } from '../http/services.ts';

export interface OAuthRoutesOptions {
  readonly addresses: OAuthAddresses;
  readonly store: OAuthStore;
  readonly limiter: Limiter;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  readonly clock: Clock;
  /** Key of this use alone. */
  readonly secret: Uint8Array;
  /** Keys of before: cookies that they signed are accepted. */
  readonly formerSecrets: readonly Uint8Array[];
  /** True while the account exists and is not disabled. */
  readonly accountLives: (accountId: string) => Promise<boolean>;
  readonly onFault: (error: unknown) => void;
  readonly log: Log;
}
