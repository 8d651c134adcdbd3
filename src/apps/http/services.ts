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

/** Structured log; the adapter behind it masks keys and phone numbers. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Public addresses named in answers to callers who ran out of allowance. */
export interface Links {
  /** Left out where visitors cannot sign up. */
  readonly signup?: string;
  readonly pricing: string;
  readonly console: string;
}

/** Who is signed in, in a browser or in an app. Known once the app routes are loaded. */
export interface SessionDirectory {
  /** Web-page lookups of a signed-in account draw on the account's allowance (interface, general rule 5). */
  accountOf(cookie: string, at: UnixMs): Account | undefined | Promise<Account | undefined>;
  /**
   * The signed-in browser of a console request.
   * @throws Problem sign_in_required; forbidden when it changes something without the session's token
   */
  require(request: Pick<IncomingMessage, 'method' | 'headers'>, at: UnixMs): Promise<Session>;
  /** Whose device cookie is among these, as text to count under; undefined when none that is ours. */
  deviceOf(cookie: string, at: UnixMs): string | undefined | Promise<string | undefined>;
  /** The account behind an OAuth access token. */
  accountOfToken(token: string, at: UnixMs): Promise<Account | undefined>;
}

/** Beacons by their tokens. Known once the app routes are loaded. */
export interface BeaconDirectory {
  /**
   * Undefined for any text that is not the token of a beacon; a text that cannot be one costs no question to
   * the store.
   */
  find(token: string): Promise<Beacon | undefined>;
}

/** Everything the HTTP side needs from outside, put together by main/threads/http-worker.ts. */
export interface HttpServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: Ledger;
  /** Counts requests other than lookups. */
  readonly limiter: Limiter;
  readonly keys: KeyDirectory;
  readonly assistants: AssistantDirectory | undefined;
  readonly sessions: SessionDirectory | undefined;
  readonly beacons: BeaconDirectory | undefined;
  readonly pulse: Pick<PulseLookup, 'checkMoment' | 'lookup' | 'lookupNow'>;
  /** The newest lookup data; undefined until the first load. */
  readonly view: () => LookupView | undefined;
  readonly trustedProxies: readonly Prefix[];
  /** Origins of pages and desktop clients that may call the MCP endpoints; none where left out. */
  readonly mcpOrigins?: readonly string[];
  /** Key of requests that trusted proxies send to GET /v1/decide without one. */
  readonly proxyKey?: string | undefined;
  readonly limits: OpenLimits;
  readonly links: Links;
  /** Public address, without a trailing slash. */
  readonly baseUrl: string;
  /** Counters for GET /metrics; left out where there is no such path. */
  readonly counts?: RequestCounts;
}

/** The services that charge and answer a lookup. */
export interface LookupServices extends Pick<HttpServices, 'clock' | 'limits' | 'links' | 'pulse'> {
  readonly ledger: Pick<Ledger, 'charge' | 'windows' | 'refund' | 'usage'>;
}
