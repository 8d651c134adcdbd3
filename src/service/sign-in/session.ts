import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../core/caller/caller.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { ignoreUnavailable } from '../store-fault.ts';

const SESSION_MS = 30 * DAY_MS;

/** Interval at which use is recorded; an idle session may end this much early. */
const NOTED_MS = MINUTE_MS;

/** As little as the holder needs to recognise a sign-in. */
interface SignInPlace {
  readonly country: string | undefined;
  readonly agent: string;
}

export interface SessionRow extends SignInPlace {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: UnixMs;
  readonly seenAt: UnixMs;
  readonly expiresAt: UnixMs;
  readonly amr: readonly string[];
  readonly authenticatedAt: UnixMs;
}

/**
 * - `noteCountry`: returns true if the country is new and not the account's first.
 * - `remove`: `accountId` restricts it to that account's sessions. False if there is no such session.
 */
export interface SessionStore {
  add(row: SessionRow, most: number): Promise<void>;
  find(id: string, at: UnixMs): Promise<SessionRow | undefined>;
  all(accountId: string, at: UnixMs): Promise<readonly SessionRow[]>;
  touch(id: string, at: UnixMs, expiresAt: UnixMs): Promise<void>;
  noteCountry(accountId: string, country: string): Promise<boolean>;
  authenticate(id: string, amr: readonly string[], at: UnixMs): Promise<void>;
  remove(id: string, accountId?: string): Promise<boolean>;
  removeAll(accountId: string, except?: string): Promise<void>;
  purge(at: UnixMs): Promise<void>;
}

/** A signed-in browser. `csrf` goes into the forms and the X-CSRF-Token header of its own requests. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly csrf: string;
  readonly createdAt: UnixMs;
  readonly expiresAt: UnixMs;
  readonly amr: readonly string[];
  readonly authenticatedAt: UnixMs;
}

interface SessionOptions {
  readonly store: SessionStore;
  readonly account: (id: string) => Account | undefined | Promise<Account | undefined>;
  readonly secret: Uint8Array;
  /** An unused session ends after this time (PULSE_SESSION_IDLE_MIN). */
  readonly idleMs: number;
  readonly formerSecrets?: readonly Uint8Array[];
}

/**
 * Sessions of the console. A session ends at sign-out, when idle, after its lifetime, with a new password,
 * and with its account.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #account: SessionOptions['account'];
  readonly #idleMs: number;
  readonly #csrfKey: Buffer;
  readonly #formerCsrfKeys: readonly Buffer[];

  constructor({ store, account, secret, idleMs, formerSecrets = [] }: SessionOptions) {
    this.#store = store;
    this.#idleMs = idleMs;
    this.#account = account;
    this.#csrfKey = csrfKey(secret);
    this.#formerCsrfKeys = formerSecrets.map(csrfKey);
  }

  /**
   * Opens a session under a new value, so that a cookie planted before sign-in is worthless (session
   * fixation).
   * @returns the cookie's value, its latest end, and whether the country is new to an account that has signed
   * in from others
   */
  async open(
    accountId: string,
    amr: readonly AuthenticationMethod[],
    { country, agent }: SignInPlace,
    at: UnixMs,
    authenticatedAt = at,
  ): Promise<{ readonly token: string; readonly expiresAt: UnixMs; readonly isNewCountry: boolean }> {
    const token = randomBytes(32).toString('base64url');
    const row = {
      id: sessionId(token),
      accountId,
      createdAt: at,
      seenAt: at,
      amr,
      authenticatedAt,
      country,
      agent,
    };
    await this.#store.add({ ...row, expiresAt: this.#endOf(row, at) }, ACCOUNT_CAPS.sessions);
    const isNewCountry = country !== undefined && (await this.#store.noteCountry(accountId, country));
    return { token, expiresAt: unixMs(at + SESSION_MS), isNewCountry };
  }

  /**
   * Returns undefined if the cookie names no session, or if its session has ended or its account is disabled
   * or gone.
   */
  async find(token: string | undefined, at: UnixMs): Promise<Session | undefined> {
    if (token === undefined || !/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
    const row = await this.#store.find(sessionId(token), at);
    if (row === undefined || this.#isIdle(row, at)) return undefined;
    const account = await this.#account(row.accountId);
    if (account === undefined || account.disabled) return undefined;
    if (at - row.seenAt >= NOTED_MS) await this.#store.touch(row.id, at, this.#endOf(row, at)).catch(ignoreUnavailable);
    const { id, createdAt, amr, authenticatedAt } = row;
    const expiresAt = unixMs(createdAt + SESSION_MS);
    return { id, account, csrf: this.csrf(id), createdAt, expiresAt, amr, authenticatedAt };
  }

  async list(accountId: string, at: UnixMs): Promise<readonly SessionRow[]> {
    return (await this.#store.all(accountId, at)).filter((row) => !this.#isIdle(row, at));
  }

  /** Applies the present setting: a row may have been written under a longer one. */
  #isIdle({ seenAt }: SessionRow, at: UnixMs): boolean {
    return at - seenAt >= this.#idleMs;
  }

  #endOf({ createdAt }: Pick<SessionRow, 'createdAt'>, seenAt: UnixMs): UnixMs {
    return unixMs(Math.min(createdAt + SESSION_MS, seenAt + this.#idleMs));
  }

  async authenticate(sessionId: string, amr: readonly AuthenticationMethod[], at: UnixMs): Promise<void> {
    await this.#store.authenticate(sessionId, amr, at);
  }

  async end(token: string | undefined, at: UnixMs): Promise<string | undefined> {
    const row = token === undefined ? undefined : await this.#store.find(sessionId(token), at);
    if (row !== undefined) await this.#store.remove(row.id);
    return row?.accountId;
  }

  async endOne(accountId: string, id: string): Promise<boolean> {
    return await this.#store.remove(id, accountId);
  }

  async endAll(accountId: string, exceptId?: string): Promise<void> {
    await this.#store.removeAll(accountId, exceptId);
  }

  /**
   * Returns a token that only this site can put into a request of the browser bound to `binding` (the id of a
   * session or of a sign-in in progress).
   */
  csrf(binding: string): string {
    return csrfToken(this.#csrfKey, binding);
  }

  csrfMatches(binding: string, given: unknown): boolean {
    if (typeof given !== 'string') return false;
    const found = Buffer.from(given);
    return [this.#csrfKey, ...this.#formerCsrfKeys].some((key) => {
      const expected = Buffer.from(csrfToken(key, binding));
      return found.length === expected.length && timingSafeEqual(found, expected);
    });
  }
}

const csrfKey = (secret: Uint8Array): Buffer => createHmac('sha256', secret).update('pulse csrf').digest();
const csrfToken = (key: Uint8Array, binding: string): string =>
  createHmac('sha256', key).update(binding).digest('base64url');

const sessionId = (token: string): string => createHash('sha256').update(`session:${token}`).digest('base64url');

/**
 * The values are those of RFC 8176, except `oidc`, a sign-in at the company's provider, and `recovery`, a
 * recovery code. `otp` is TOTP, `pop` a passkey, `mfa` several factors at the provider.
 */
export type AuthenticationMethod = 'pwd' | 'oidc' | 'mfa' | 'otp' | 'pop' | 'recovery';

const FIRST: ReadonlySet<string> = new Set<AuthenticationMethod>(['pwd', 'oidc']);

export const firstMethod = (amr: readonly string[]): AuthenticationMethod => (isOfCompany(amr) ? 'oidc' : 'pwd');

export const isOfCompany = (amr: readonly string[]): boolean => amr.includes('oidc');

export const lacksFactor = (amr: readonly string[]): boolean => amr.every((method) => FIRST.has(method));
