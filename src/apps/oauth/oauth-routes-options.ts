import type { FastifyRequest } from 'fastify';
import type { OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import type { OAuthStore } from '../../service/oauth-store.ts';
import type { Clock } from '../../service/ports.ts';
import type { Sessions } from '../../service/session.ts';
import type { SignIn, SignInStore } from '../../service/sign-in.ts';
import type { SessionCookie } from '../console/session/session-cookie.ts';
import type { Log } from '../http/services.ts';

export interface OAuthRoutesOptions {
  readonly addresses: OAuthAddresses;
  readonly store: OAuthStore;
  readonly throttle: Pick<SignInStore, 'attempt'>;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly cookie: SessionCookie;
  readonly clock: Clock;
  /** Key of this use alone. */
  readonly secret: Uint8Array;
  readonly accountLives: (accountId: string) => Promise<boolean>;
  /** The counted client address: IPv4 as it is, IPv6 as its /64. */
  readonly clientOf: (request: FastifyRequest) => string;
  readonly onFault: (error: unknown) => void;
  readonly log: Log;
}
