import type { FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { UnixMs } from '../../core/units.ts';
import type { CountedEvent } from '../../service/accounts/account-store.ts';
import type { Limiter } from '../../service/limiter.ts';
import type { Clock } from '../../service/ports.ts';
import type { OAuthStore } from '../../service/sign-in/oauth-store.ts';
import type { Sessions } from '../../service/sign-in/session.ts';
import type { SignIn } from '../../service/sign-in/sign-in.ts';
import type { DeviceCookie, SessionCookie } from '../console/session/cookies.ts';
import type { Log } from '../http/services.ts';

/** `name` is the app's own claim; only `host` is verified. */
export type ConsentNote = Readonly<Record<'client_id' | 'name' | 'host', string>>;

export type ProviderFor = (request: FastifyRequest) => Promise<Provider>;

export interface OAuthRoutesOptions {
  readonly baseUrl: string;
  readonly store: OAuthStore;
  readonly limiter: Limiter;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  /** Accounts are also signed in to at the company's provider. */
  readonly hasCompanySignOn: boolean;
  readonly cookie: SessionCookie;
  readonly device: DeviceCookie;
  readonly clock: Clock;
  readonly secret: Uint8Array;
  /** Cookies under these former keys are still accepted. */
  readonly formerSecrets: readonly Uint8Array[];
  readonly accountLives: (accountId: string) => Promise<boolean>;
  readonly onEvent: (event: CountedEvent) => void;
  /** Records a consent. @throws Problem rate_limited, in which case the app is not authorised */
  readonly onConsent: (accountId: string, app: ConsentNote, at: UnixMs) => Promise<void>;
  readonly mcpOrigins: readonly string[] | undefined;
  /** Undefined where this deployment reads no metadata documents of clients and does not offer to. */
  readonly fetchClientDocument: ((url: URL) => Promise<unknown>) | undefined;
  readonly onFault: (error: unknown) => void;
  readonly log: Log;
}
