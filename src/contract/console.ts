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
  readonly verified: boolean;
  readonly disabled: boolean;
  readonly created_at: string;
}

export interface ConsoleOperatorAccount extends ConsoleAccount {
  readonly used_today: number;
  readonly per_day: number;
  readonly per_min: number;
  readonly active_keys: number;
}

/**
 * The quota day of the installation. Requests and refusals are those of this node.
 * - `since`: requests and refusals count from here: the beginning of the day, or the start of this node.
 * - `requests`: the most frequent first. The path is absent for everything that is not counted by its route.
 */
export interface ConsoleToday {
  readonly since: string;
  readonly requests: readonly { readonly path?: string; readonly count: number }[];
  readonly refusals: readonly { readonly code: string; readonly count: number }[];
  readonly callers: readonly {
    readonly id: string;
    readonly email: string;
    readonly used: number;
    readonly per_day: number;
  }[];
}

export interface ConsoleAccountPage {
  readonly accounts: readonly ConsoleOperatorAccount[];
  readonly plans: readonly string[];
  readonly next?: string;
}

/** A factor's own fields; `name` is empty for TOTP. */
interface ConsoleFactor {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

/**
 * - `passkeys_work`: a browser can have a passkey only for a name, over https.
 * - `required`: true where the operator pages stay closed without a second factor.
 */
export interface ConsoleFactors {
  readonly totp?: ConsoleFactor;
  readonly passkeys: readonly ConsoleFactor[];
  readonly recovery_codes_left: number;
  readonly passkeys_work: boolean;
  readonly required: boolean;
}

/** The second factor that sign-in waits for. `passkey`: options for `navigator.credentials.get`. */
export interface ConsoleFactorAsked {
  readonly step: string;
  readonly expires_at: string;
  readonly totp: boolean;
  readonly passkey?: object;
}

export interface ConsoleOpenSession {
  readonly id: string;
  readonly current: boolean;
  readonly opened_at: string;
  /** Last use, to within a minute. */
  readonly seen_at: string;
  readonly country?: string;
  readonly agent?: string;
}

/**
 * - `send_only`: the key may send evidence and do nothing else: as `source`, of these `kinds`, about single addresses
 *   unless `prefixes`.
 * - `evidence`: the key may write evidence; with `networks`, about prefixes of /24, /48 and wider too.
 */
export interface ConsoleKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly per_day?: number;
  readonly phone: boolean;
  readonly send_only: boolean;
  readonly source?: string;
  readonly kinds?: readonly RiskType[];
  readonly prefixes?: boolean;
  readonly evidence: boolean;
  readonly networks: boolean;
  readonly bouncer?: { readonly min_score: number; readonly max: number; readonly single_addresses: boolean };
  readonly created_at: string;
  readonly expires_at?: string;
  readonly revoked_at?: string;
  readonly last_used_at?: string;
  readonly used_today: number;
}

/**
 * The secret is in this answer alone and cannot be read again; the same holds for the token of a new beacon.
 */
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
  readonly phone_per_min?: number;
  readonly days: readonly ConsoleUsageDay[];
}

export interface ConsoleFeed extends SourceStatus {
  /**
   * The reason why the catalogue leaves the source out of the schedule. It is then read by name and from
   * files alone.
   */
  readonly left_out_because?: string;
  readonly last_error?: InLanguages;
  readonly quarantine?: ConsoleQuarantine;
}

export interface InLanguages {
  readonly en: string;
  readonly zh: string;
}

export type ConsoleQuarantine = Omit<QuarantinedDocument, 'reason'> & { readonly reason: InLanguages };

export interface ConsoleFault {
  readonly job: string;
  readonly reason: string;
}

export interface ConsoleFeedPage {
  readonly feeds: readonly ConsoleFeed[];
  readonly faults: readonly ConsoleFault[];
}

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

export interface ConsoleAuditPage {
  readonly entries: readonly ConsoleAuditEntry[];
  readonly next?: string;
}

/**
 * An app connected over OAuth. Its name is the app's own claim. `redirect_hosts`: the hosts that the app's answers go
 * to. They are the part of its identity that was checked.
 */
export interface ConsoleApp {
  readonly client_id: string;
  readonly name: string;
  readonly redirect_hosts: readonly string[];
  readonly connected_at: string;
  readonly last_used_at?: string;
}

export interface ConsoleExport {
  readonly exported_at: string;
  readonly account: ConsoleAccount;
  readonly keys: readonly ConsoleKey[];
  readonly apps: readonly ConsoleApp[];
  readonly factors: ConsoleFactors;
  readonly identities: readonly { readonly issuer: string; readonly subject: string; readonly linked_at: string }[];
  readonly sessions: readonly ConsoleOpenSession[];
  readonly usage: ConsoleUsage;
  readonly audit: readonly ConsoleAuditEntry[];
}

/**
 * A reading of a source outside its bounds, which waits for an operator.
 * - `run_at`: the time that the reading is taken in for: when its publisher vouched for it.
 * - `replaced`: the number of earlier readings that this one replaced since the last accepted one.
 * - `ipv6` counts networks of /64.
 */
export interface QuarantinedDocument {
  readonly digest: string;
  readonly reason: string;
  readonly refused_at: string;
  readonly last_read_at: string;
  readonly run_at: string;
  readonly replaced: number;
  readonly rows: number;
  readonly asns?: number;
  readonly pools: number;
  readonly ipv4?: QuarantinedSpace;
  readonly ipv6?: QuarantinedSpace;
}

/**
 * How much space of one family a reading speaks of; overlapping rows count each. `before`: the coverage of the source
 * a day ago. `growth` is how many times as much there is now.
 */
export interface QuarantinedSpace {
  readonly covered: number;
  readonly before?: number;
  readonly growth?: number;
  readonly widest: number;
  readonly narrowest: number;
}

export interface ConsoleBeacon {
  readonly id: string;
  readonly prefix: string;
  readonly risk_type: string;
  readonly pool?: string;
  readonly state: 'active' | 'revoked' | 'expired';
  readonly created_at: string;
  readonly expires_at?: string;
  readonly last_seen_at?: string;
  readonly exits: number;
  /** There is one entry a UTC date, ascending, also for dates without captures. */
  readonly days: readonly {
    readonly date: string;
    readonly captures: number;
    readonly exits: number;
    readonly new_exits: number;
  }[];
}

export interface ConsoleNewBeacon {
  readonly id: string;
  readonly token: string;
}

export interface ConsoleCountry {
  readonly country?: string;
  readonly count: number;
}

/**
 * - `sensors`: in the order of their last request; beacons are listed apart. `seen_at` is that request, absent where
 *   requests do not say when they were sent. `silent`: no request came for five minutes. `clock_offset_ms`: the
 *   service's clock less the sensor's, milliseconds, with the time that the request took.
 * - `hours`: the last 48, ascending.
 * - `exit_countries`: those of the exits that were seen last, at most 1,000, of all beacons.
 */
export interface ConsoleCollection {
  readonly sensors: readonly {
    readonly source: string;
    readonly accepted_at?: string;
    readonly captured_at?: string;
    readonly accepted: number;
    readonly refused: number;
    readonly day: number;
    readonly seen_at?: string;
    readonly silent?: boolean;
    readonly clock_offset_ms?: number;
  }[];
  readonly beacons: readonly ConsoleBeacon[];
  readonly hours: readonly { readonly at: string; readonly captures: number; readonly connections: number }[];
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly connections: number }[];
  readonly countries: readonly ConsoleCountry[];
  readonly exit_countries: readonly ConsoleCountry[];
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
  readonly deny?: RiskType;
  readonly reason: string;
  readonly from: string;
  readonly until: string;
}

export interface ConsoleOverrides {
  readonly overrides: readonly ConsoleOverride[];
}

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

export interface ConsoleFeedbackPage {
  readonly reports: readonly ConsoleFeedback[];
  /** Decided reports of false positives at addresses that a source named, and how many were confirmed. */
  readonly sources: readonly { readonly source: string; readonly decided: number; readonly confirmed: number }[];
}
