import type { IncomingMessage } from 'node:http';
import type { Account } from '../../core/caller/caller.ts';
import type { Beacon } from '../../core/collection/beacon.ts';
import type { Prefix } from '../../core/ip/address.ts';
import type { OpenLimits } from '../../core/quota/allowances.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Limiter } from '../../service/limiter.ts';
import type { PulseLookup } from '../../service/lookup/lookup-pulse.ts';
import type { AssistantDirectory, Clock, KeyDirectory, Ledger, LookupView } from '../../service/ports.ts';
import type { Session } from '../../service/sign-in/session.ts';
import type { RequestCounts } from './answer/request-counts.ts';

/** The adapter behind this log masks keys and phone numbers. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

export interface Links {
  readonly signup?: string;
  readonly pricing: string;
  readonly console: string;
}

/** Finds the account behind a browser or an app. It is known once the app routes are loaded. */
export interface SessionDirectory {
  /** Web-page lookups of a signed-in account draw on the account's allowance (interface, general rule 5). */
  accountOf(cookie: string, at: UnixMs): Account | undefined | Promise<Account | undefined>;
  /** @throws Problem sign_in_required; forbidden for a change without the session's token */
  require(request: Pick<IncomingMessage, 'method' | 'headers'>, at: UnixMs): Promise<Session>;
  /** Returns a text to count the holder of a device cookie under; undefined without a cookie of ours. */
  deviceOf(cookie: string, at: UnixMs): string | undefined | Promise<string | undefined>;
  accountOfToken(token: string, at: UnixMs): Promise<Account | undefined>;
}

/** Finds beacons by their tokens. It is known once the app routes are loaded. */
export interface BeaconDirectory {
  /**
   * Undefined for any text that is not the token of a beacon; a text that cannot be one costs no question to
   * the store.
   */
  find(token: string): Promise<Beacon | undefined>;
}

export interface HttpServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly limiter: Limiter;
  readonly keys: KeyDirectory;
  readonly assistants: AssistantDirectory | undefined;
  readonly sessions: SessionDirectory | undefined;
  readonly beacons: BeaconDirectory | undefined;
  readonly pulse: Pick<PulseLookup, 'checkMoment' | 'lookup' | 'lookupNow'>;
  readonly view: () => LookupView | undefined;
  readonly trustedProxies: readonly Prefix[];
  readonly mcpOrigins?: readonly string[];
  readonly proxyKey?: string | undefined;
  readonly limits: OpenLimits;
  readonly links: Links;
  readonly baseUrl: string;
  readonly counts?: RequestCounts;
  /** Names the stores that cannot be used or written now. */
  readonly storesAway?: () => readonly string[];
}

export interface LookupServices extends Pick<HttpServices, 'clock' | 'limits' | 'links' | 'pulse'> {
  readonly ledger: Pick<Ledger, 'charge' | 'windows' | 'refund' | 'usage'>;
}
