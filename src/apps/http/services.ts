import type { Account } from '../../core/caller/caller.ts';
import type { Address, Prefix } from '../../core/ip/address.ts';
import type { OpenLimits } from '../../core/quota/allowances.ts';
import type { UnixMs } from '../../core/units.ts';
import type { AssistantDirectory, Clock, KeyDirectory, Ledger, DataView as LookupView } from '../../service/ports.ts';

/** Structured log; the adapter behind it masks keys and phone numbers. */
export interface Log {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
  debug(fields: object, message: string): void;
}

/** Public addresses named in answers to callers who ran out of allowance. */
export interface Links {
  readonly signup: string;
  readonly pricing: string;
  readonly console: string;
}

/** A finished professional answer. */
export interface PulseText {
  readonly json: string;
  readonly degraded: boolean;
}

export interface PulseQuestion {
  readonly view: LookupView;
  readonly address: Address;
  readonly account: Account;
  readonly now: UnixMs;
  /** Set when `at` was sent: already read, and not in the future. */
  readonly moment: UnixMs | undefined;
}

/** The professional look-up, in two parts, since what history refuses is free. Both throw `Problem`. */
export interface PulseLookup {
  /** Rules of `at` that need the deployment and its history: history_not_enabled, history_no_ipv6, at_out_of_window, history_unavailable. */
  checkMoment(question: PulseQuestion & { readonly moment: UnixMs }): void | Promise<void>;
  /** The document; undefined for not_found. */
  lookup(question: PulseQuestion): PulseText | undefined | Promise<PulseText | undefined>;
}

/** Who is signed in on the site. Web-page look-ups of a signed-in account draw on the account's allowance (interface, general rule 5). */
export interface SessionDirectory {
  accountOf(cookie: string, at: UnixMs): Account | undefined | Promise<Account | undefined>;
}

/** Everything the HTTP side needs from outside, put together by main/worker.ts. */
export interface HttpServices {
  readonly clock: Clock;
  readonly log: Log;
  readonly ledger: Ledger;
  readonly keys: KeyDirectory;
  readonly assistants: AssistantDirectory | undefined;
  readonly sessions: SessionDirectory | undefined;
  readonly pulse: PulseLookup | undefined;
  /** The newest look-up data; undefined until the first load. */
  readonly view: () => LookupView | undefined;
  readonly trustedProxies: readonly Prefix[];
  readonly limits: OpenLimits;
  readonly links: Links;
}
