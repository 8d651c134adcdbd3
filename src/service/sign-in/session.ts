import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Account } from '../../core/caller/caller.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { unlessUnavailable } from '../store-unavailable.ts';
import type { AuthenticationMethod } from './authentication-method.ts';

/** A signed-in browser lives this long from its sign-in, however much it is used. */
const SESSION_MS = 30 * DAY_MS;

/** Use is noted once in this time, so an idle session may end this much early. */
const NOTED_MS = MINUTE_MS;

/** Place and program of a sign-in, as little as its holder needs to know it again. */
export interface SignInPlace {
  /** Two letters; undefined where it is not known. */
  readonly country: string | undefined;
  /** Family of browser and system (`agentFamily`). */
  readonly agent: string;
}

export interface SessionRow extends SignInPlace {
  /** SHA-256 of the cookie's value. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: UnixMs;
  /** Last use, to within a minute. */
  readonly seenAt: UnixMs;
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
  /** Sessions of an account, last used first. */
  all(accountId: string, at: UnixMs): Promise<readonly SessionRow[]>;
  /** Notes a use, and when the session ends if there is no other. */
  touch(id: string, at: UnixMs, expiresAt: UnixMs): Promise<void>;
  /** Notes a country that the account signs in from; true when it is a further one, not the account's first. */
  noteCountry(accountId: string, country: string): Promise<boolean>;
  /** Notes that the holder has proved again who they are. */
  authenticate(id: string, amr: readonly string[], at: UnixMs): Promise<void>;
  /** With `accountId`, only a session of that account. False: there is no such session. */
  remove(id: string, accountId?: string): Promise<boolean>;
  /** Ends all sessions of an account but `except`. */
  removeAll(accountId: string, except?: string): Promise<void>;
  purge(at: UnixMs): Promise<void>;
}

/** A browser that is signed in. `csrf` goes into forms and the X-CSRF-Token header of that browser's own requests. */
export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly csrf: string;
  readonly createdAt: UnixMs;
  readonly expiresAt: UnixMs;
  readonly amr: readonly string[];
  readonly authenticatedAt: UnixMs;
}

export interface SessionOptions {
  readonly store: SessionStore;
  readonly account: (id: string) => Account | undefined | Promise<Account | undefined>;
  /** Keys the CSRF tokens. */
  readonly secret: Uint8Array;
  /** A session that is not used for so long ends (PULSE_SESSION_IDLE_MIN). */
  readonly idleMs: number;
  /** Keys of before: their tokens are accepted. */
  readonly formerSecrets?: readonly Uint8Array[];
}

/** Console sessions: opened by sign-in, read at every console request, ended by sign-out, idleness, a new password or the account's end. */
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
   * Opens a session. Always a new value, so that a cookie planted before sign-in is worth nothing (session fixation).
   * @returns the cookie's value, its latest end, and whether the account signs in from this country for the first time, and from others before
   */
  async open(
    accountId: string,
    amr: readonly AuthenticationMethod[],
    { country, agent }: SignInPlace,
    at: UnixMs,
  ): Promise<{ readonly token: string; readonly expiresAt: UnixMs; readonly isNewCountry: boolean }> {
    const token = randomBytes(32).toString('base64url');
    const row = {
      id: sessionId(token),
      accountId,
      createdAt: at,
      seenAt: at,
      amr,
      authenticatedAt: at,
      country,
      agent,
    };
    await this.#store.add({ ...row, expiresAt: this.#endOf(row, at) }, ACCOUNT_CAPS.sessions);
    const isNewCountry = country !== undefined && (await this.#store.noteCountry(accountId, country));
    return { token, expiresAt: unixMs(at + SESSION_MS), isNewCountry };
  }

  /** The session behind a cookie's value; undefined when there is none, it has ended, or its account is gone or disabled. */
  async find(token: string | undefined, at: UnixMs): Promise<Session | undefined> {
    if (token === undefined || !/^[A-Za-z0-9_-]{43}$/.test(token)) return undefined;
    const row = await this.#store.find(sessionId(token), at);
    if (row === undefined || this.#isIdle(row, at)) return undefined;
    const account = await this.#account(row.accountId);
    if (account === undefined || account.disabled) return undefined;
    if (at - row.seenAt >= NOTED_MS) await this.#store.touch(row.id, at, this.#endOf(row, at)).catch(unlessUnavailable);
    const { id, createdAt, amr, authenticatedAt } = row;
    const expiresAt = unixMs(createdAt + SESSION_MS);
    return { id, account, csrf: this.csrf(id), createdAt, expiresAt, amr, authenticatedAt };
  }

  /** Open sessions of an account, last used first. */
  async list(accountId: string, at: UnixMs): Promise<readonly SessionRow[]> {
    return (await this.#store.all(accountId, at)).filter((row) => !this.#isIdle(row, at));
  }

  /** By the setting of now: a row may have been written under a longer one. */
  #isIdle({ seenAt }: SessionRow, at: UnixMs): boolean {
    return at - seenAt >= this.#idleMs;
  }

  #endOf({ createdAt }: Pick<SessionRow, 'createdAt'>, seenAt: UnixMs): UnixMs {
    return unixMs(Math.min(createdAt + SESSION_MS, seenAt + this.#idleMs));
  }

  /** The holder of a session has proved again who they are. */
  async authenticate(sessionId: string, amr: readonly AuthenticationMethod[], at: UnixMs): Promise<void> {
    await this.#store.authenticate(sessionId, amr, at);
  }

  /** Ends the session of a cookie's value. @returns whose it was; undefined: there was none */
  async end(token: string | undefined, at: UnixMs): Promise<string | undefined> {
    const row = token === undefined ? undefined : await this.#store.find(sessionId(token), at);
    if (row !== undefined) await this.#store.remove(row.id);
    return row?.accountId;
  }

  /** Ends one session of an account; false when it has no such session. */
  async endOne(accountId: string, id: string): Promise<boolean> {
    return await this.#store.remove(id, accountId);
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
