/** Port: accounts, keys and plans as they are kept, and the log of changes. One suite (accounts.contract.ts) runs over every implementation. */
import type { Account, ApiKey, Plan } from '../../core/caller/caller.ts';
import type { AccountRecord, Overrides } from '../../core/caller/effective-account.ts';
import type { EvidenceRight, SendLimits } from '../../core/collection/send-limits.ts';
import type { CountedAction } from '../../core/limits/audit-cap.ts';
import type { UnixMs } from '../../core/units.ts';

/** Who changes something: `cli`, `operator:<account id>`, `user:<account id>`, `system`. Ends up in the audit log. */
export type Actor = 'cli' | 'system' | `operator:${string}` | `user:${string}`;

/** Who is behind a counted event: also a client of whom nothing is known, a key or a beacon. */
export type EventActor = Actor | 'anonymous' | `key:${string}` | `beacon:${string}`;

export interface By {
  readonly actor: Actor;
  readonly at: UnixMs;
}

/** An account with its plan applied, and its own limits. */
export interface StoredAccount extends Account {
  readonly overrides: Overrides;
  /** The phone switch itself; `phoneEnabled` also asks the plan. */
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
  /** An operator vouches for the address. */
  readonly verified?: boolean;
}

/** Absent: unchanged. Null: back to the plan (for historyDays: the default). */
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
  /** True: the address is the account holder's, from now on if it was not known before. */
  readonly verified?: boolean;
  readonly requireFactor?: boolean;
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
}

/** Most keys an account may have. */
export interface KeyCaps {
  readonly active: number;
  readonly ever: number;
  /** Made within an hour. */
  readonly anHour: number;
}

/** The account has as many keys as it may; `freeAt`: when the oldest of the last hour's is an hour old. */
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

/** An event that is counted: one audit row for its actor, action, subject, detail and hour. */
export interface CountedEvent {
  readonly action: CountedAction;
  readonly actor: EventActor;
  readonly subject: string;
  /** Distinguishes the rows of one hour, so it has few values. Never a secret, an address or a phone number. */
  readonly detail: Readonly<Record<string, string | true>>;
  /** Added up within the row. */
  readonly counts: Readonly<Record<string, number>>;
  readonly at: UnixMs;
}

export interface AccountQuestion {
  /** Absent: all accounts. */
  readonly search?: string;
  /** Name of a plan; absent: every plan. */
  readonly plan?: string;
  /** `next` of the page before; absent: the first page. */
  readonly after?: string;
  readonly limit: number;
}

export interface AccountPage {
  readonly accounts: readonly StoredAccount[];
  /** Absent: this is the last page. */
  readonly next?: string;
}

/** Proof of a sign-in. */
export interface StoredCredentials {
  readonly accountId: string;
  readonly email: string;
  /** PHC string; null: no password was ever set. */
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly verified: boolean;
  readonly operator: boolean;
}

/**
 * Refusals are values; a store that cannot be reached is an exception. Every write is one transaction with its audit row.
 * Writes of one holder or operator beyond the cap of 24 hours (`auditCap`) throw Problem rate_limited, and nothing is written.
 */
export interface AccountStore {
  createAccount(account: NewAccount, by: By): Promise<StoredAccount | 'email_taken' | 'unknown_plan'>;
  changeAccount(
    id: string,
    changes: AccountChanges,
    by: By,
  ): Promise<StoredAccount | 'unknown_account' | 'unknown_plan'>;
  account(id: string): Promise<StoredAccount | undefined>;
  /** Oldest first. */
  accounts(): Promise<readonly StoredAccount[]>;
  hasOperator(): Promise<boolean>;
  /** One page, newest first: accounts whose address holds the text, or whose id it is. */
  findAccounts(question: AccountQuestion): Promise<AccountPage>;
  /** In one question, so that an unknown address takes as long as a known one. Case of the address does not matter. */
  credentials(by: { readonly email: string } | { readonly id: string }): Promise<StoredCredentials | undefined>;
  /** The argon2id hash for `verifyPassword`; undefined when there is no such account or it has no password. */
  passwordHash(accountId: string): Promise<string | undefined>;
  setPasswordHash(accountId: string, hash: string, by: By): Promise<boolean>;
  /** Removes the account and all of it; audit rows keep time, actor and action, under an id that leads nowhere. */
  deleteAccount(id: string, by: By): Promise<boolean>;

  /** @param caps absent: as many as are asked for. Exact, however many ask at once. */
  createKey(key: NewKey, by: By, caps?: KeyCaps): Promise<ApiKey | 'unknown_account' | KeysAtCap>;
  /** Idempotent: a key revoked before keeps its first moment. With `accountId`, only a key of that account. */
  revokeKey(id: string, by: By, accountId?: string): Promise<ApiKey | 'unknown_key'>;
  /** Oldest first; of one account, or all. */
  keys(accountId?: string): Promise<readonly ApiKey[]>;
  /** Key id to the last moment it was seen in use. Never moves a date backwards; writes no audit row. */
  markKeysUsed(used: ReadonlyMap<string, UnixMs>): Promise<void>;

  plans(): Promise<readonly Plan[]>;
  /** Adds the plan or replaces the one of that name; accounts on it have the new limits at once. */
  putPlan(plan: Plan, by: By): Promise<Plan>;

  /** Notes in the audit log a change of something that is kept elsewhere, such as a source. @param detail never a secret or a phone number */
  note(action: string, subject: string, detail: AuditEntry['detail'], by: By): Promise<void>;
  /** Adds counted events to the rows of their hour. A row moves to the end of the log as it grows, with the moment of its last event. */
  countEvents(events: readonly CountedEvent[]): Promise<void>;
  /** Rows with a greater number, oldest first, at most `limit`. */
  auditAfter(seq: number, limit: number): Promise<readonly AuditEntry[]>;
  /** How far a follower of the audit log has read; undefined: it has not begun. */
  auditCursor(name: string): Promise<number | undefined>;
  /** Moves a cursor on, or begins one; false when it does not stand at `from` any more. Of several at once exactly one gets true. */
  moveAuditCursor(name: string, from: number | undefined, to: number): Promise<boolean>;
  /** Newest first, at most `limit`; of one subject, or all; `before`: only rows with a smaller number. */
  audit(options: {
    readonly subject?: string;
    readonly before?: number;
    readonly limit: number;
  }): Promise<readonly AuditEntry[]>;
  /** Drops the oldest audit rows as far as they are older than `before`, at most `limit` of them. Returns how many. */
  pruneAudit(before: UnixMs, limit: number): Promise<number>;
}

export type { AccountRecord };
