/**
 * The suite accounts.contract.ts runs over every implementation of this port for accounts, keys, plans and
 * the audit log.
 */

import type { Account, AccountRecord, ApiKey, Overrides, Plan } from '../../core/caller/caller.ts';
import type { EvidenceRight, SendLimits } from '../../core/collection/source-limits.ts';
import type { CountedAction } from '../../core/limits/audit-cap.ts';
import type { BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import type { AllowEntry } from '../../core/policy/allow-list.ts';
import type { PolicyDocument } from '../../core/policy/policy.ts';
import type { UnixMs } from '../../core/units.ts';

export type Actor = 'cli' | 'system' | `operator:${string}` | `user:${string}`;

/** An unknown client, a key or a beacon may also cause a counted event. */
export type EventActor = Actor | 'anonymous' | `key:${string}` | `beacon:${string}`;

export interface By {
  readonly actor: Actor;
  readonly at: UnixMs;
}

/**
 * An account with the limits of its plan and its overrides applied. `phone`: the phone switch alone; `phoneEnabled`
 * also depends on the plan.
 */
export interface StoredAccount extends Account {
  readonly overrides: Overrides;
  readonly phone: boolean;
}

export interface NewAccount {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly passwordHash?: string;
  readonly dpa: boolean;
  readonly phone: boolean;
  readonly operator?: boolean;
  readonly verified?: boolean;
}

/** An absent field stays unchanged. Null returns a limit to the plan, and `historyDays` to the default. */
export interface AccountChanges {
  readonly plan?: string;
  readonly perMin?: number | null;
  readonly perDay?: number | null;
  readonly overagePct?: number | null;
  readonly phonePerMin?: number | null;
  readonly phonePerDay?: number | null;
  readonly historyDays?: number | null;
  readonly dpa?: boolean;
  readonly phone?: boolean;
  readonly operator?: boolean;
  readonly disabled?: boolean;
  readonly verified?: boolean;
  readonly requireFactor?: boolean;
}

/** An absent field stays unchanged; null returns it to the default. */
export interface KeyChanges {
  readonly policy?: PolicyDocument | null;
  readonly bouncer?: BouncerBounds | null;
}

export interface NewKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly phone: boolean;
  readonly sends?: SendLimits;
  readonly evidence?: EvidenceRight;
  readonly bouncer?: BouncerBounds;
}

export interface KeyCaps {
  readonly active: number;
  readonly ever: number;
  readonly anHour: number;
}

/** The account has reached a cap. With `anHour`, `freeAt` is when the next key is possible. */
export interface KeysAtCap {
  readonly atCap: keyof KeyCaps;
  readonly freeAt?: UnixMs;
}

export interface AuditEntry {
  readonly seq: number;
  readonly at: UnixMs;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * A counted event. Events of one actor, action, subject, detail and hour share one audit row. `detail`: part of the
 * row's identity, so it must have few values. Never a secret, an address or a phone number.
 */
export interface CountedEvent {
  readonly action: CountedAction;
  readonly actor: EventActor;
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | true>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly at: UnixMs;
}

export interface AccountQuery {
  readonly search?: string;
  readonly plan?: string;
  readonly after?: string;
  readonly limit: number;
}

export interface AccountPage {
  readonly accounts: readonly StoredAccount[];
  readonly next?: string;
}

export interface StoredCredentials {
  readonly accountId: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly verified: boolean;
  readonly operator: boolean;
  readonly ofCompany: boolean;
}

/**
 * Refusals are return values; an unreachable store is an exception. Every write is one transaction with its
 * audit row.
 * A holder or operator whose writes exceed the cap of 24 hours (`auditCap`) gets Problem rate_limited, and
 * nothing is written.
 */
export interface AccountStore {
  createAccount(account: NewAccount, by: By): Promise<StoredAccount | 'email_taken' | 'unknown_plan'>;
  changeAccount(
    id: string,
    changes: AccountChanges,
    by: By,
  ): Promise<StoredAccount | 'unknown_account' | 'unknown_plan'>;
  account(id: string): Promise<StoredAccount | undefined>;
  allowList(accountId: string): Promise<readonly AllowEntry[]>;
  changeAllowList(
    accountId: string,
    change: (held: readonly AllowEntry[]) => readonly AllowEntry[],
    by: By,
  ): Promise<readonly AllowEntry[]>;
  accounts(): Promise<readonly StoredAccount[]>;
  hasOperator(): Promise<boolean>;
  /** Matches accounts whose address contains the text or whose id equals it, newest first. */
  findAccounts(query: AccountQuery): Promise<AccountPage>;
  /** Asks one question, so that an unknown address takes as long as a known one. Case is ignored. */
  credentials(by: { readonly email: string } | { readonly id: string }): Promise<StoredCredentials | undefined>;
  passwordHash(accountId: string): Promise<string | undefined>;
  setPasswordHash(accountId: string, hash: string, by: By): Promise<boolean>;
  /**
   * Removes the account and all its rows. Audit rows keep time, actor and action, under an id that leads
   * nowhere.
   */
  deleteAccount(id: string, by: By): Promise<boolean>;

  /** @param caps enforced exactly under concurrency; default: no caps */
  createKey(key: NewKey, by: By, caps?: KeyCaps): Promise<ApiKey | 'unknown_account' | KeysAtCap>;
  /**
   * Idempotent: a revoked key keeps its first moment of revocation. `accountId` restricts it to that
   * account's keys.
   */
  revokeKey(id: string, by: By, accountId?: string): Promise<ApiKey | 'unknown_key'>;
  changeKey(id: string, changes: KeyChanges, by: By, accountId?: string): Promise<ApiKey | 'unknown_key'>;
  keys(accountId?: string): Promise<readonly ApiKey[]>;
  /** Records the last use of each key id. It never moves a time back and writes no audit row. */
  markKeysUsed(used: ReadonlyMap<string, UnixMs>): Promise<void>;

  plans(): Promise<readonly Plan[]>;
  putPlan(plan: Plan, by: By): Promise<Plan>;

  /**
   * Records a change of something stored elsewhere, such as a source.
   * @param detail never a secret or a phone number
   */
  note(action: string, subject: string, detail: AuditEntry['detail'], by: By): Promise<void>;
  /**
   * Adds the events to the rows of their hour. A row that grows moves to the end of the log and takes the
   * time of its last event.
   */
  countEvents(events: readonly CountedEvent[]): Promise<void>;
  auditAfter(seq: number, limit: number): Promise<readonly AuditEntry[]>;
  auditCursor(name: string): Promise<number | undefined>;
  /**
   * Creates or advances a cursor; false if it is no longer at `from`. Exactly one of several callers at once
   * gets true.
   */
  moveAuditCursor(name: string, from: number | undefined, to: number): Promise<boolean>;
  audit(options: {
    readonly subject?: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly AuditEntry[]>;
  pruneAudit(before: UnixMs, limit: number): Promise<number>;
}

export type { AccountRecord };
