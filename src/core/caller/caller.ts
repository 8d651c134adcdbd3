import type { EvidenceRight, SendLimits } from '../collection/send-limits.ts';
import type { UnixMs } from '../units.ts';

/** Data tier of a plan: `professional` sees evidence, share tier, pools and history. */
export type DataTier = 'basic' | 'professional';

/** Named plans (decisions 5.4). Operators may add their own; the set is data, not code. */
export interface Plan {
  readonly name: string;
  readonly perMin: number;
  readonly perDay: number;
  readonly overagePct: number;
  readonly dataTier: DataTier;
  /** Whether an account on this plan can hold the phone capability. */
  readonly phoneEligible: boolean;
  readonly phonePerMin: number;
  readonly phonePerDay: number;
}

/** An account with its plan applied and the operator's overrides on top: its limits now. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly perMin: number;
  readonly perDay: number;
  readonly overagePct: number;
  readonly dataTier: DataTier;
  /** Data-processing agreement in force: exact evidence times are shown. */
  readonly dpa: boolean;
  readonly phoneEligible: boolean;
  readonly phoneEnabled: boolean;
  readonly phonePerMin: number;
  readonly phonePerDay: number;
  /** Days of history the contract grants; undefined = the default window (30). */
  readonly historyDays?: number;
  readonly operator: boolean;
  readonly disabled: boolean;
  /** When its mail address was proved by a link, or vouched for by an operator; absent: neither. */
  readonly verifiedAt?: UnixMs;
  /** The operator pages open only to a session with a second factor. Absent: no. */
  readonly requireFactor?: boolean;
  readonly createdAt: UnixMs;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Leading characters, safe to show. */
  readonly prefix: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly revokedAt?: UnixMs;
  /** False: this key may not use the phone capability though its account may. */
  readonly phone: boolean;
  /** The key may send evidence within these limits and do nothing else. Absent: a key without limits of its own. */
  readonly sends?: SendLimits;
  /** The key may write evidence: about addresses, or about networks too. Absent: it may not, unless it is send-only. */
  readonly evidence?: EvidenceRight;
  readonly createdAt: UnixMs;
  readonly lastUsedAt?: UnixMs;
}

/** Who asks, settled once a request. `client` is the counted client address: IPv4 as is, IPv6 as its /64. */
export type Caller =
  | { readonly kind: 'anonymous'; readonly client: string }
  | { readonly kind: 'assistant'; readonly client: string; readonly assistantFamily: string }
  | { readonly kind: 'key'; readonly client: string; readonly account: Account; readonly key: ApiKey }
  | { readonly kind: 'user'; readonly client: string; readonly account: Account };
