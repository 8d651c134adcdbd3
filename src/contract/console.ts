/** Documents of the JSON endpoints the site's own pages read (`/console/api/…`): an internal interface, free to change with the site. Imports only the published documents. */
import type { Explanation, Me } from './documents.ts';
import type { RiskType } from './risk.ts';
import type { SourceStatus } from './status.ts';

export interface ConsoleAccount {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly data_tier: 'basic' | 'professional';
  readonly dpa: boolean;
  readonly phone: boolean;
  readonly operator: boolean;
  /** Its mail address was proved by a link, or an operator vouches for it. */
  readonly verified: boolean;
  /** It signs in nowhere, and its keys open nothing. */
  readonly disabled: boolean;
  readonly created_at: string;
}

/** An account as operators see it, with its use of today. */
export interface ConsoleOperatorAccount extends ConsoleAccount {
  readonly used_today: number;
  readonly per_day: number;
  readonly per_min: number;
  /** Keys that open something now. */
  readonly active_keys: number;
}

/** The day of the installation. Requests are those of this node since its start. */
export interface ConsoleToday {
  readonly since: string;
  readonly requests: readonly { readonly status: number; readonly count: number }[];
  /** Accounts with the most lookups today. */
  readonly callers: readonly {
    readonly id: string;
    readonly email: string;
    readonly used: number;
    readonly per_day: number;
  }[];
}

/** One page of accounts as operators see them, newest first. */
export interface ConsoleAccountPage {
  readonly accounts: readonly ConsoleOperatorAccount[];
  /** Names of the plans there are. */
  readonly plans: readonly string[];
  /** Where the next page begins; absent on the last. */
  readonly next?: string;
}

/** A factor's own fields; `name` is empty for TOTP. */
interface ConsoleFactor {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

export interface ConsoleFactors {
  readonly totp?: ConsoleFactor;
  readonly passkeys: readonly ConsoleFactor[];
  readonly recovery_codes_left: number;
  /** Whether a browser can have a passkey for this address: it has a name, and https. */
  readonly passkeys_work: boolean;
  /** The operator pages stay closed without a factor. */
  readonly required: boolean;
}

/** The second factor that sign-in waits for. `passkey`: options for `navigator.credentials.get`. */
export interface ConsoleFactorAsked {
  readonly step: string;
  readonly expires_at: string;
  readonly totp: boolean;
  readonly passkey?: object;
}

/** A browser that is signed in. */
export interface ConsoleOpenSession {
  readonly id: string;
  /** It is the one that asks. */
  readonly current: boolean;
  readonly opened_at: string;
  /** Last use, to within a minute. */
  readonly seen_at: string;
  /** Country and browser of the sign-in, where they are known. */
  readonly country?: string;
  readonly agent?: string;
}

export interface ConsoleKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly per_day?: number;
  readonly phone: boolean;
  /** It may send evidence and do nothing else: as `source`, of these `kinds`, about single addresses unless `prefixes`. */
  readonly send_only: boolean;
  readonly source?: string;
  readonly kinds?: readonly RiskType[];
  readonly prefixes?: boolean;
  /** It may write evidence; with `networks`, about prefixes of /24, /48 and wider too. */
  readonly evidence: boolean;
  readonly networks: boolean;
  /** It may fetch decisions as a bouncer. */
  readonly bouncer?: { readonly min_score: number; readonly max: number; readonly single_addresses: boolean };
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
  readonly last_used_at?: string;
  readonly used_today: number;
}

/** The secret is in this answer and nowhere else, ever. */
export interface ConsoleNewKey {
  readonly key_id: string;
  readonly key: string;
  readonly key_prefix: string;
}

/** One quota day (`day` is its date in the zone of `me.quota_day_tz`), newest last; `keys` by key id. */
export interface ConsoleUsageDay {
  readonly day: string;
  readonly used: number;
  readonly keys: Readonly<Record<string, number>>;
  readonly phone?: number;
}

export interface ConsoleUsage {
  readonly me: Me;
  /** Phone numbers a minute, where the account may ask about them. */
  readonly phone_per_min?: number;
  readonly days: readonly ConsoleUsageDay[];
}

export interface ConsoleFeed extends SourceStatus {
  /** Why the catalogue leaves it out of the schedule: it is read by name and from files alone. */
  readonly left_out_because?: string;
  readonly last_error?: InLanguages;
  readonly quarantine?: ConsoleQuarantine;
}

/** A sentence for the page's language. */
export interface InLanguages {
  readonly en: string;
  readonly zh: string;
}

export type ConsoleQuarantine = Omit<QuarantinedDocument, 'reason'> & { readonly reason: InLanguages };

/** Background work that fails now, and why. */
export interface ConsoleFault {
  readonly job: string;
  readonly reason: string;
}

export interface ConsoleFeedPage {
  readonly feeds: readonly ConsoleFeed[];
  readonly faults: readonly ConsoleFault[];
}

/** Result of accepting a reading from quarantine. */
export interface ConsoleAccepted {
  readonly digest: string;
  readonly rows: number;
  readonly run_at: string;
  readonly changed: boolean;
}

export interface ConsoleAuditEntry {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** One page of the audit log, newest first. */
export interface ConsoleAuditPage {
  readonly entries: readonly ConsoleAuditEntry[];
  /** Asks for the page of older entries; absent: this is the last. */
  readonly next?: string;
}

/** An app connected over OAuth. Its name is the app's own claim. */
export interface ConsoleApp {
  readonly client_id: string;
  readonly name: string;
  /** Hosts its answers go to, which is the part of its identity that was checked. */
  readonly redirect_hosts: readonly string[];
  readonly connected_at: string;
  readonly last_used_at?: string;
}

/** Everything kept about an account, for its owner. */
export interface ConsoleExport {
  readonly exported_at: string;
  readonly account: ConsoleAccount;
  readonly keys: readonly ConsoleKey[];
  readonly apps: readonly ConsoleApp[];
  readonly factors: ConsoleFactors;
  readonly sessions: readonly ConsoleOpenSession[];
  readonly usage: ConsoleUsage;
  /** Newest first. */
  readonly audit: readonly ConsoleAuditEntry[];
}

/** A reading of a source outside its bounds, which waits for an operator. */
export interface QuarantinedDocument {
  /** Names the reading when it is accepted. */
  readonly digest: string;
  readonly reason: string;
  readonly refused_at: string;
  readonly last_read_at: string;
  /** When its publisher vouched for it: the time it is taken in for. */
  readonly run_at: string;
  /** Earlier readings it replaced here since the last accepted one. */
  readonly replaced: number;
  readonly rows: number;
  readonly asns?: number;
  readonly pools: number;
  /** Addresses. */
  readonly ipv4?: QuarantinedSpace;
  /** Networks of /64. */
  readonly ipv6?: QuarantinedSpace;
}

/** How much space of one family a reading speaks of; overlapping rows count each. */
export interface QuarantinedSpace {
  readonly covered: number;
  /** Coverage of the source a day ago, and how many times that it is now. */
  readonly before?: number;
  readonly growth?: number;
  /** Prefix lengths, bits. */
  readonly widest: number;
  readonly narrowest: number;
}

/** A beacon as operators see it. */
export interface ConsoleBeacon {
  readonly id: string;
  readonly prefix: string;
  readonly risk_type: string;
  readonly pool?: string;
  readonly state: 'active' | 'revoked' | 'expired';
  readonly created_at: string;
  readonly expires_at?: string;
  readonly last_seen_at?: string;
  /** Distinct exits since it was made. */
  readonly exits: number;
  /** One entry a UTC date, ascending, dates without captures included. */
  readonly days: readonly {
    readonly date: string;
    readonly captures: number;
    readonly exits: number;
    readonly new_exits: number;
  }[];
}

/** A beacon that was made now; its token is in this answer and nowhere else. */
export interface ConsoleNewBeacon {
  readonly id: string;
  readonly token: string;
}

/** How many of something are of one country. */
export interface ConsoleCountry {
  /** Absent where it is not known. */
  readonly country?: string;
  readonly count: number;
}

/** State of the operator's own collection. */
export interface ConsoleCollection {
  /** Seen last first; beacons are listed apart. */
  readonly sensors: readonly {
    readonly source: string;
    /** Absent: it was heard and has sent nothing. */
    readonly accepted_at?: string;
    readonly captured_at?: string;
    readonly accepted: number;
    readonly refused: number;
    readonly day: number;
    /** When a request of it last came; absent where its requests do not say when they were sent. */
    readonly seen_at?: string;
    /** No request came for five minutes. */
    readonly silent?: boolean;
    /** The service's clock less the sensor's, milliseconds. The way of the request is part of it. */
    readonly clock_offset_ms?: number;
  }[];
  readonly beacons: readonly ConsoleBeacon[];
  /** The last 48 hours, ascending. */
  readonly hours: readonly { readonly at: string; readonly captures: number; readonly connections: number }[];
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly connections: number }[];
  /** Of the newest captures that are kept; `country` is absent where it is not known. */
  readonly countries: readonly ConsoleCountry[];
  /** Of the exits of all beacons that were seen last, at most 1,000. */
  readonly exit_countries: readonly ConsoleCountry[];
  /** Newest first. */
  readonly newest: readonly {
    readonly at: string;
    readonly ip: string;
    readonly source: string;
    readonly risk_type: string;
    readonly protocol?: string;
    readonly port?: number;
    readonly country?: string;
  }[];
}

/** An operator's correction of verdicts that is in force: either `allow` or `deny` is there. */
export interface ConsoleOverride {
  readonly id: string;
  readonly prefix: string;
  readonly allow?: true;
  /** The risk type its addresses count as. */
  readonly deny?: RiskType;
  readonly reason: string;
  readonly from: string;
  readonly until: string;
}

export interface ConsoleOverrides {
  /** Newest first. */
  readonly overrides: readonly ConsoleOverride[];
}

/** One report that a verdict is wrong, with the evidence as it stood then. */
export interface ConsoleFeedback {
  readonly id: string;
  readonly at: string;
  readonly ip: string;
  readonly verdict: 'false_positive' | 'false_negative';
  readonly outcome: 'open' | 'confirmed' | 'rejected';
  readonly explanation: Explanation;
  readonly account?: string;
  readonly risk_type?: RiskType;
  readonly comment?: string;
}

/** Body of GET /console/api/operator/feedback. */
export interface ConsoleFeedbackPage {
  readonly reports: readonly ConsoleFeedback[];
  /** Decided reports of false positives at addresses that a source named, and how many were confirmed. */
  readonly sources: readonly { readonly source: string; readonly decided: number; readonly confirmed: number }[];
}
