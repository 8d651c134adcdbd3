import type { OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import type { UnixMs } from '../../core/units.ts';
import type { CountedEvent } from '../../service/accounts/account-store.ts';
import type { Limiter } from '../../service/limiter.ts';
import type { Clock } from '../../service/ports.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';
import type { Sessions } from '../../service/sign-in/session.ts';
import type { SignIn } from '../../service/sign-in/sign-in.ts';
import type { DeviceCookie } from '../console/session/device-cookie.ts';
import type { SessionCookie } from '../console/session/session-cookie.ts';
import type { Log } from '../http/services.ts';

/** The app by its id and its own name, and the host that was checked. */
export type ConsentNote = Readonly<Record<'client_id' | 'name' | 'host', string>>;

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
  readonly onEvent: (event: CountedEvent) => void;
  /** Notes that an account lets an app in. @throws Problem rate_limited, and then the app is not let in */
  readonly onConsent: (accountId: string, app: ConsentNote, at: UnixMs) => Promise<void>;
  readonly onFault: (error: unknown) => void;
  readonly log: Log;
}
