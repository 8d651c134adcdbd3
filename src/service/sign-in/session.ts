import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../core/caller/caller.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { AuthenticationMethod } from './authentication-method.ts';

/** A signed-in browser lives this long from its sign-in, used or not. */
const SESSION_MS = 30 * DAY_MS;

export interface SessionRow {
  /** SHA-256 of the cookie's value. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: UnixMs;
  readonly expiresAt: UnixMs;
  /** How it was authenticated (`AuthenticationMethod`). */
  readonly amr: readonly string[];
  /** When its holder last proved who they are. */
  readonly authenticatedAt: UnixMs;
}

export interface SessionStore {
  /** Adds a session, and ends the oldest of its account beyond `most`. */
  add(row: SessionRow, most: number): Promise<void>;
  find(id: string, at: UnixMs): Promise<SessionRow | undefined>;
  /** Notes that the holder has proved again who they are. */
  authenticate(id: string, amr: readonly string[], at: UnixMs): Promise<void>;
  remove(id: string): Promise<void>;
  /** Ends all sessions of an account but `except`. */
  removeAll(accountId: string, except?: string): Promise<void>;
  purge(at: UnixMs): Promise<void>;
}

/** A browser that is signed in. `csrf` goes into forms and the X-CSRF-Token header of that browser's own requests. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly csrf: string;
  readonly expiresAt: UnixMs;
  readonly amr: readonly string[];
  readonly authenticatedAt: UnixMs;
}

export interface SessionOptions {
  readonly store: SessionStore;
  readonly account: (id: string) => Account | undefined | Promise<Account | undefined>;
  /** Keys the CSRF tokens. */
  readonly secret: Uint8Array;
  /** Keys of before: their tokens are accepted. */
  readonly formerSecrets?: readonly Uint8Array[];
}

/** Console sessions: opened by sign-in, read at every console request, ended by sign-out, a new password or the account's end. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #account: SessionOptions['account'];
  readonly #csrfKey: Buffer;
  readonly #formerCsrfKeys: readonly Buffer[];

  constructor({ store, account, secret, formerSecrets = [] }: SessionOptions) {
    this.#store = store;
    this.#account = account;
    this.#csrfKey = csrfKey(secret);
    this.#formerCsrfKeys = formerSecrets.map(csrfKey);
  }

  /** Opens a session. Always a new value, so that a cookie planted before sign-in is worth nothing (session fixation). Returns the cookie's value. */
  async open(
    accountId: string,
    amr: readonly AuthenticationMethod[],
    at: UnixMs,
  ): Promise<{ readonly token: string; readonly expiresAt: UnixMs }> {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = unixMs(at + SESSION_MS);
    await this.#store.add(
      { id: sessionId(token), accountId, createdAt: at, expiresAt, amr, authenticatedAt: at },
      ACCOUNT_CAPS.sessions,
    );
    return { token, expiresAt };
  }

  /** The session behind a cookie's value; undefined when there is none, it has expired, or its account is gone or disabled. */
  async find(token: string | undefined, at: UnixMs): Promise<Session | undefined> {
    if (token === undefined || !/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
    const row = await this.#store.find(sessionId(token), at);
    if (row === undefined) return undefined;
    const account = await this.#account(row.accountId);
    if (account === undefined || account.disabled) return undefined;
    return {
      id: row.id,
      account,
      csrf: this.csrf(row.id),
      expiresAt: row.expiresAt,
      amr: row.amr,
      authenticatedAt: row.authenticatedAt,
    };
  }

  /** The holder of a session has proved again who they are. */
  async authenticate(sessionId: string, amr: readonly AuthenticationMethod[], at: UnixMs): Promise<void> {
    await this.#store.authenticate(sessionId, amr, at);
  }

  async end(token: string | undefined): Promise<void> {
    if (token !== undefined) await this.#store.remove(sessionId(token));
  }

  /** Ends every session of the account, but keeps the one that asked where it is given. */
  async endAll(accountId: string, exceptId?: string): Promise<void> {
    await this.#store.removeAll(accountId, exceptId);
  }

  /** Token that only this site can put into a request of the browser bound to `binding` (a session id, or the id of a sign-in in progress). */
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
