import { createHash, randomBytes } from 'node:crypto';
import { HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../core/units.ts';
import type { StoredCredentials } from './account-store.ts';
import { checkNewPassword, hashPassword, verifyPassword } from './password.ts';
import { Problem } from './problem.ts';
import type { Sessions } from './session.ts';
import type { SignUpPolicy } from './sign-up-policy.ts';

/** What sign-in needs of the accounts. */
export interface SignInAccounts {
  byEmail(email: string): Promise<StoredCredentials | undefined>;
  byId(accountId: string): Promise<StoredCredentials | undefined>;
  /** Makes a free account and returns its id; undefined when the address is taken. */
  create(email: string, passwordHash: string, at: UnixMs): Promise<string | undefined>;
  setPassword(accountId: string, passwordHash: string, at: UnixMs): Promise<void>;
  /** Notes that a link proved the account's address; this thread knows it when the promise resolves. */
  markVerified(accountId: string, at: UnixMs): Promise<void>;
}

export type MailPurpose = 'verify' | 'reset';

export interface MailLink {
  /** SHA-256 of the secret in the link. */
  readonly id: string;
  readonly purpose: MailPurpose;
  readonly email: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly expiresAt: UnixMs;
}

export interface SignInStore {
  /**
   * Counts one attempt in the window that began with the first; returns the count with this one and when the window ends, which is at most `windowMs`
   * after `at`, also when the clock has gone back. One atomic statement.
   */
  attempt(id: string, windowMs: number, at: UnixMs): Promise<{ readonly count: number; readonly endsAt: UnixMs }>;
  /** Takes attempts back, down to none. */
  forgive(id: string, attempts: number): Promise<void>;
  addLink(link: MailLink, at: UnixMs): Promise<void>;
  /** The link while it is good, without using it up. */
  findLink(id: string, purpose: MailPurpose, at: UnixMs): Promise<MailLink | undefined>;
  /** Uses the link up and every other one of its purpose and address; false when another request did first. */
  takeLink(link: MailLink): Promise<boolean>;
  purge(at: UnixMs): Promise<void>;
}

export type MailLanguage = 'zh' | 'en';

/** Sends what is written for an address. Undefined when no mail can be sent from here (PULSE_SMTP_URL). */
export interface SignInMail {
  verify(to: string, link: string, language: MailLanguage): Promise<void>;
  reset(to: string, link: string, language: MailLanguage): Promise<void>;
  alreadyRegistered(to: string, signInUrl: string, language: MailLanguage): Promise<void>;
}

export interface SignInOptions {
  readonly accounts: SignInAccounts;
  readonly store: SignInStore;
  readonly sessions: Sessions;
  readonly mail: SignInMail | undefined;
  readonly signUp: SignUpPolicy;
  /** Ends every app of an account; a new password ends them like every session. */
  readonly disconnectApps: (accountId: string) => Promise<void>;
  readonly baseUrl: string;
  /** Called with a mail that could not be sent; the answer to sign-up and reset does not show it, or the caller would learn who has an account. */
  readonly onMailFault: (error: unknown) => void;
}

/** Who asks: the counted client address (IPv6: its /64) and the moment. */
export interface Visitor {
  readonly client: string;
  readonly at: UnixMs;
  readonly language: MailLanguage;
}

export interface SignedIn {
  readonly accountId: string;
  readonly token: string;
  readonly expiresAt: UnixMs;
}

const WINDOW_MS = 15 * MINUTE_MS;
// biome-ignore format: a table
/** Attempts per window. One client against one account is stopped early; all clients against one account late, so that a stranger cannot lock an owner out cheaply. */
const LIMITS = {
  pair:    { attempts: 10,  windowMs: WINDOW_MS },
  client:  { attempts: 50,  windowMs: WINDOW_MS },
  account: { attempts: 100, windowMs: WINDOW_MS },
  signUp:  { attempts: 10,  windowMs: HOUR_MS },
  mail:    { attempts: 4,   windowMs: HOUR_MS },
  asking:  { attempts: 20,  windowMs: HOUR_MS },
} as const;
const VERIFY_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;

const NO_SIGN_UP = 'This service takes no sign-ups: its operator makes the accounts.';
const UNPROVED = 'The mail address of this account is not proved yet. Set a new password by mail: its link proves the address.';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The one written form of an address, or undefined when it is not one. We compare without case, as every large mail provider does. */
function normaliseEmail(email: unknown): string | undefined {
  if (typeof email !== 'string') return undefined;
  const clean = email.trim().toLowerCase();
  return clean.length <= 254 && /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[a-z0-9\p{L}-]+(\.[a-z0-9\p{L}-]+)+$/u.test(clean) ? clean : undefined;
}

/** Sign-up, sign-in and passwords. Wherever mail can be sent, answers and timing never show who has an account. */
export class SignIn {
  readonly #with: SignInOptions;

  constructor(dependencies: SignInOptions) {
    this.#with = dependencies;
  }

  get policy(): SignUpPolicy {
    return this.#with.signUp;
  }

  /** Whether mail can be sent from here; without it passwords cannot be reset. */
  get mailed(): boolean {
    return this.#with.mail !== undefined;
  }

  /**
   * @throws Problem invalid_credentials for a wrong pair, an unknown address and a disabled account alike; rate_limited with retry_after
   */
  async signIn(email: unknown, password: unknown, visitor: Visitor): Promise<SignedIn> {
    const address = normaliseEmail(email);
    const name = digest(address ?? 'none');
    const counted = [
      await this.#count(`sign-in:pair:${name}:${visitor.client}`, LIMITS.pair, visitor.at),
      await this.#count(`sign-in:client:${visitor.client}`, LIMITS.client, visitor.at),
      await this.#count(`sign-in:account:${name}`, LIMITS.account, visitor.at),
    ];
    const found = address === undefined ? undefined : await this.#with.accounts.byEmail(address);
    const right = await verifyPassword(typeof password === 'string' ? password : '', found?.passwordHash);
    if (!right || found === undefined || found.disabled) throw new Problem('invalid_credentials');
    if (this.#with.signUp === 'mail' && !found.verified) throw new Problem('forbidden', { message: UNPROVED });
    for (const id of counted) await this.#with.store.forgive(id, 1);
    return await this.#open(found.accountId, visitor.at);
  }

  /**
   * Open: makes the account and signs in. By mail: sends a link and says only that; an address that is taken gets a mail that says so.
   * @throws Problem forbidden (sign-up is off), bad_request, weak_password, email_taken (only where sign-up is open), rate_limited
   */
  async signUp(email: unknown, password: unknown, visitor: Visitor): Promise<SignedIn | 'mailed'> {
    this.#requireSignUp();
    const address = this.#address(email);
    const chosen = checked(password, address);
    await this.#count(`sign-up:client:${visitor.client}`, LIMITS.signUp, visitor.at);
    const passwordHash = await hashPassword(chosen);
    const { accounts, mail, signUp } = this.#with;
    if (mail === undefined || signUp === 'open') {
      const accountId = await accounts.create(address, passwordHash, visitor.at);
      if (accountId === undefined) throw new Problem('email_taken');
      return await this.#open(accountId, visitor.at);
    }
    if (!(await this.#mayMail(address, visitor.at))) return 'mailed';
    const taken = (await accounts.byEmail(address)) !== undefined;
    // Written for a taken address too and never sent: one statement less would show who has an account.
    const link = await this.#link('verify', address, { passwordHash }, VERIFY_MS, visitor);
    if (taken) this.#send(mail.alreadyRegistered(address, this.#page('sign-in', visitor.language), visitor.language));
    else this.#send(mail.verify(address, link, visitor.language));
    return 'mailed';
  }

  /**
   * Follows a verification link. The password is asked again: the link alone would let a person who signed up a stranger's address share the account
   * that the stranger's click makes.
   * @throws Problem forbidden (sign-up is off by now), link_invalid, invalid_credentials, rate_limited
   */
  async verify(secret: unknown, password: unknown, visitor: Visitor): Promise<SignedIn> {
    this.#requireSignUp();
    const counted = await this.#count(`verify:client:${visitor.client}`, LIMITS.asking, visitor.at);
    const link = await this.#find(secret, 'verify', visitor.at);
    const passwordHash = link.payload['passwordHash'] ?? '';
    await this.#count(`verify:link:${link.id}`, LIMITS.pair, visitor.at);
    if (!(await verifyPassword(typeof password === 'string' ? password : '', passwordHash))) throw new Problem('invalid_credentials');
    if (!(await this.#with.store.takeLink(link))) throw new Problem('link_invalid');
    const accountId = await this.#with.accounts.create(link.email, passwordHash, visitor.at);
    if (accountId === undefined) throw new Problem('link_invalid');
    await this.#with.accounts.markVerified(accountId, visitor.at);
    await this.#with.store.forgive(counted, 1);
    return await this.#open(accountId, visitor.at);
  }

  /** Sends a reset link if there is such an account, and says nothing either way. @throws Problem bad_request, rate_limited */
  async requestReset(email: unknown, visitor: Visitor): Promise<void> {
    const address = this.#address(email);
    await this.#count(`reset:client:${visitor.client}`, LIMITS.asking, visitor.at);
    const { accounts, mail } = this.#with;
    if (mail === undefined || !(await this.#mayMail(address, visitor.at))) return;
    const found = await accounts.byEmail(address);
    // As in signUp: the link of an unknown address is written and never sent.
    const link = await this.#link('reset', address, { accountId: found?.accountId ?? '' }, RESET_MS, visitor);
    if (found !== undefined && !found.disabled) this.#send(mail.reset(address, link, visitor.language));
  }

  /** Sets a new password by a reset link, ends every session and app of the account, and signs in. @throws Problem link_invalid, weak_password, rate_limited */
  async reset(secret: unknown, password: unknown, visitor: Visitor): Promise<SignedIn> {
    await this.#count(`reset-use:client:${visitor.client}`, LIMITS.asking, visitor.at);
    const link = await this.#find(secret, 'reset', visitor.at);
    const chosen = checked(password, link.email);
    const found = await this.#with.accounts.byId(link.payload['accountId'] ?? '');
    if (found === undefined || found.disabled) throw new Problem('link_invalid');
    const passwordHash = await hashPassword(chosen);
    if (!(await this.#with.store.takeLink(link))) throw new Problem('link_invalid');
    await this.#replacePassword(found.accountId, passwordHash, visitor.at);
    if (!found.verified) await this.#with.accounts.markVerified(found.accountId, visitor.at);
    return await this.#open(found.accountId, visitor.at);
  }

  /** Changes the password of a signed-in account; its other sessions and its apps end. @throws Problem invalid_credentials, weak_password, rate_limited */
  async changePassword(accountId: string, sessionId: string, current: unknown, next: unknown, visitor: Visitor): Promise<void> {
    const counted = await this.#count(`change:account:${accountId}`, LIMITS.pair, visitor.at);
    const found = await this.#with.accounts.byId(accountId);
    if (found === undefined || !(await verifyPassword(typeof current === 'string' ? current : '', found.passwordHash)))
      throw new Problem('invalid_credentials');
    const passwordHash = await hashPassword(checked(next, found.email));
    await this.#with.store.forgive(counted, 1);
    await this.#replacePassword(accountId, passwordHash, visitor.at, sessionId);
  }

  /** @throws Problem forbidden */
  #requireSignUp(): void {
    if (this.#with.signUp === 'off') throw new Problem('forbidden', { message: NO_SIGN_UP });
  }

  async #replacePassword(accountId: string, passwordHash: string, at: UnixMs, exceptSession?: string): Promise<void> {
    await this.#with.accounts.setPassword(accountId, passwordHash, at);
    await this.#with.sessions.endAll(accountId, exceptSession);
    await this.#with.disconnectApps(accountId);
  }

  async #open(accountId: string, at: UnixMs): Promise<SignedIn> {
    return { accountId, ...(await this.#with.sessions.open(accountId, at)) };
  }

  /** Counts first and asks later, so that many attempts at once do not all pass. @throws Problem rate_limited */
  async #count(id: string, limit: { readonly attempts: number; readonly windowMs: number }, at: UnixMs): Promise<string> {
    const { count, endsAt } = await this.#with.store.attempt(id, limit.windowMs, at);
    if (count > limit.attempts)
      throw new Problem('rate_limited', {
        message: 'Too many attempts; try again later.',
        extras: { retry_after: Math.max(1, Math.ceil((endsAt - at) / 1000)) },
      });
    return id;
  }

  /** One address gets only so many mails an hour, whichever client asks; past that the request looks as if it had worked. */
  async #mayMail(address: string, at: UnixMs): Promise<boolean> {
    const { count } = await this.#with.store.attempt(`mail:${digest(address)}`, LIMITS.mail.windowMs, at);
    return count <= LIMITS.mail.attempts;
  }

  async #link(purpose: MailPurpose, email: string, payload: Readonly<Record<string, string>>, ttlMs: number, visitor: Visitor): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await this.#with.store.addLink({ id: digest(`${purpose}:${secret}`), purpose, email, payload, expiresAt: unixMs(visitor.at + ttlMs) }, visitor.at);
    // In the fragment, which browsers never send: not to our log, not to a proxy's, not as a referrer.
    return `${this.#page(purpose === 'verify' ? 'verify' : 'reset', visitor.language)}#token=${secret}`;
  }

  #page(name: string, language: MailLanguage): string {
    return `${this.#with.baseUrl}${language === 'en' ? '/en' : ''}/console/${name}`;
  }

  async #find(secret: unknown, purpose: MailPurpose, at: UnixMs): Promise<MailLink> {
    const link = typeof secret === 'string' ? await this.#with.store.findLink(digest(`${purpose}:${secret}`), purpose, at) : undefined;
    if (link === undefined) throw new Problem('link_invalid');
    return link;
  }

  #address(email: unknown): string {
    const address = normaliseEmail(email);
    if (address === undefined) throw new Problem('bad_request', { message: 'The e-mail address is not of a usable form.' });
    return address;
  }

  /** Not awaited: the time a mail takes would show whether one was sent. */
  #send(sending: Promise<void>): void {
    sending.catch(this.#with.onMailFault);
  }
}

function checked(password: unknown, email: string): string {
  const fault = typeof password === 'string' ? checkNewPassword(password, email) : 'too_short';
  if (fault !== undefined) throw new Problem('weak_password', { detail: fault });
  return password as string;
}
