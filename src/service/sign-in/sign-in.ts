import { createHash, randomBytes } from 'node:crypto';
import type { Address } from '../../core/ip/address.ts';
import { clientCounters, LIMITS, type LimitCounter, pairCounter, subjectCounter } from '../../core/limits/limits.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { CountedEvent, EventActor, StoredCredentials } from '../accounts/account-store.ts';
import type { HashGate, HashPlace } from '../accounts/hash-gate.ts';
import { checkNewPassword, hashPassword, verifyPassword } from '../accounts/password.ts';
import { admit, type Limiter, tooMany } from '../limiter.ts';
import { Problem } from '../problem.ts';
import type { AuthenticationMethod } from './authentication-method.ts';
import type { DeviceTokens } from './device-tokens.ts';
import type { FactorAnswer, FactorAsked, SecondFactors } from './second-factors.ts';
import type { Session, Sessions } from './session.ts';
import type { SignUpPolicy } from './sign-up-policy.ts';

/** Account data for sign-in. */
export interface SignInAccounts {
  byEmail(email: string): Promise<StoredCredentials | undefined>;
  byId(accountId: string): Promise<StoredCredentials | undefined>;
  /** Makes a free account and returns its id; undefined when the address is taken. */
  create(email: string, passwordHash: string, at: UnixMs): Promise<string | undefined>;
  /** The same for an operator, whose address is taken as proved. */
  createOperator(email: string, passwordHash: string, at: UnixMs): Promise<string | undefined>;
  hasOperator(): Promise<boolean>;
  setPassword(accountId: string, passwordHash: string, at: UnixMs): Promise<void>;
  revokeKeys(accountId: string, at: UnixMs): Promise<void>;
  /** Notes that a link proved the account's address; this thread knows it when the promise resolves. */
  markVerified(accountId: string, at: UnixMs): Promise<void>;
}

/** `operator`: not mailed, but printed by a start without an operator (`firstOperatorLink`). */
export type MailPurpose = 'verify' | 'reset' | 'operator';

export interface MailLink {
  /** SHA-256 of the secret in the link. */
  readonly id: string;
  readonly purpose: MailPurpose;
  readonly email: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly expiresAt: UnixMs;
}

export interface SignInStore {
  addLink(link: MailLink, at: UnixMs): Promise<void>;
  /** The link while it is good, without using it up. */
  findLink(id: string, purpose: MailPurpose, at: UnixMs): Promise<MailLink | undefined>;
  /** Uses the link up and every other one of its purpose and address; false when another request did first. */
  takeLink(link: MailLink): Promise<boolean>;
  dropLinks(purpose: MailPurpose): Promise<void>;
  purge(at: UnixMs): Promise<void>;
}

export type MailLanguage = 'zh' | 'en';

/** Sends a text to an address. Undefined when no mail can be sent from here (PULSE_SMTP_URL). */
export interface SignInMail {
  verify(to: string, link: string, language: MailLanguage): Promise<void>;
  reset(to: string, link: string, language: MailLanguage): Promise<void>;
  alreadyRegistered(to: string, signInUrl: string, language: MailLanguage): Promise<void>;
}

export interface SignInOptions {
  readonly accounts: SignInAccounts;
  readonly store: SignInStore;
  readonly sessions: Sessions;
  readonly factors: Pick<SecondFactors, 'ask' | 'prove' | 'forgetSteps'>;
  readonly limiter: Limiter;
  readonly hashing: HashGate;
  readonly devices: DeviceTokens;
  readonly mail: SignInMail | undefined;
  readonly signUp: SignUpPolicy;
  /** Ends every app of an account; a new password ends them like every session. */
  readonly disconnectApps: (accountId: string, at: UnixMs) => Promise<void>;
  /** Country of a client, as far as it is known. */
  readonly countryOf: (client: Address) => string | undefined;
  /** Hears of every sign-in and every refusal. */
  readonly onEvent: (event: CountedEvent) => void;
  readonly baseUrl: string;
  /** Called with a mail that could not be sent; the answer to sign-up and reset does not show it, or the caller would learn who has an account. */
  readonly onMailFault: (error: unknown) => void;
}

/** Who asks, and the moment. */
export interface Visitor {
  readonly client: Address;
  /** The token of an earlier sign-in in this browser (`DeviceTokens`). */
  readonly device: string | undefined;
  /** Family of its browser and system (`agentFamily`). */
  readonly agent: string;
  readonly at: UnixMs;
  readonly language: MailLanguage;
}

/** The parts of a visitor that a session remembers. */
type Arriving = Pick<Visitor, 'client' | 'agent' | 'at'>;

/** A password as it was typed, and whether the account's keys end with the one before: a person who knew that may have made keys. */
export interface NewPassword {
  readonly next: unknown;
  readonly alsoKeys: boolean;
}

/** The session that changes its account's password, and stays. */
type OwnSession = Pick<Session, 'id'> & { readonly account: Pick<Session['account'], 'id'> };

export interface SignedIn {
  readonly accountId: string;
  readonly token: string;
  readonly expiresAt: UnixMs;
  /** For the browser to bring to its next sign-in. */
  readonly device: { readonly token: string; readonly expiresAt: UnixMs };
}

/** Signed in, or the account's second factor is awaited. */
export type Entered = SignedIn | FactorAsked;

/** A full queue of hashes is worked off in about this time. */
const QUEUE_SEC = 2;
const VERIFY_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;
/** How long the link for the first operator is good. */
const OPERATOR_MS = 24 * HOUR_MS;

const NO_SIGN_UP = 'This service takes no sign-ups: its operator makes the accounts.';
const UNPROVED =
  'The mail address of this account is not proved yet. Set a new password by mail: its link proves the address.';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const linkId = (secret: unknown, purpose: MailPurpose): string => digest(`${purpose}:${textOf(secret)}`);
const rightPassword = (of: string): LimitCounter => subjectCounter('right password', LIMITS.rightPassword, digest(of));

class QueueFull extends Error {}

/** The one written form of an address, or undefined when it is not one. We compare without case, as every large mail provider does. */
function normaliseEmail(email: unknown): string | undefined {
  if (typeof email !== 'string') return undefined;
  const clean = email.trim().toLowerCase();
  return clean.length <= 254 && /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[a-z0-9\p{L}-]+(\.[a-z0-9\p{L}-]+)+$/u.test(clean)
    ? clean
    : undefined;
}

/** The link that makes the first operator's account, good once; an earlier one ends. @returns its query */
export async function firstOperatorLink(
  store: SignInStore,
  at: UnixMs,
): Promise<{ readonly fragment: string; readonly expiresAt: UnixMs }> {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = unixMs(at + OPERATOR_MS);
  await store.dropLinks('operator');
  await store.addLink({ id: linkId(secret, 'operator'), purpose: 'operator', email: '', payload: {}, expiresAt }, at);
  return { fragment: fragmentOf(secret), expiresAt };
}

/** Browsers never send it: not to our log, not to a proxy's, not as a referrer. */
const fragmentOf = (secret: string): string => `#token=${secret}`;

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
  async signIn(email: unknown, password: unknown, visitor: Visitor): Promise<Entered> {
    const address = normaliseEmail(email);
    const guesses = this.#guesses(address, visitor);
    return await this.#hashing([...guesses, rightPassword(address ?? 'none')], visitor.at, async (place) => {
      const found = address === undefined ? undefined : await this.#with.accounts.byEmail(address);
      const right = await verifyPassword(textOf(password), found?.passwordHash, place.run);
      const entered = right && found !== undefined && !found.disabled;
      await this.#giveBack(entered ? guesses : [rightPassword(address ?? 'none')], visitor.at);
      if (!entered) {
        this.#refused(found, right ? 'disabled' : 'password', visitor.at);
        throw new Problem('invalid_credentials');
      }
      if (this.#with.signUp === 'mail' && !found.verified) {
        this.#refused(found, 'unproved', visitor.at);
        throw new Problem('forbidden', { message: UNPROVED });
      }
      return await this.#enter(found, visitor);
    });
  }

  /** The second half of a sign-in, or of `confirm`: the factor that was asked for. */
  async proveFactor(step: unknown, answer: FactorAnswer, visitor: Visitor): Promise<SignedIn | 'confirmed'> {
    const { device, at } = visitor;
    const { accounts, devices } = this.#with;
    const isKnownDevice = async (id: string): Promise<boolean> => {
      const owner = devices.holder(device, at) === undefined ? undefined : await accounts.byId(id);
      return owner !== undefined && devices.isOf(device, owner.email, at);
    };
    const { accountId, sessionId, method } = await this.#with.factors.prove(step, answer, isKnownDevice, at);
    const found = await accounts.byId(accountId);
    if (found === undefined || found.disabled) throw new Problem('invalid_credentials');
    if (sessionId === undefined) return await this.#open(found, ['pwd', method], visitor);
    await this.#with.sessions.authenticate(sessionId, ['pwd', method], at);
    return 'confirmed';
  }

  /** A signed-in holder proves again who they are (`isFresh`). @returns the second factor, where awaited */
  async confirm(session: Session, password: unknown, { at }: Pick<Visitor, 'at'>): Promise<FactorAsked | undefined> {
    const accountId = session.account.id;
    await this.confirmPassword(accountId, password, { at });
    const asked = await this.#with.factors.ask(accountId, at, session.id);
    if (asked === undefined) await this.#with.sessions.authenticate(session.id, ['pwd'], at);
    return asked;
  }

  /**
   * Open: makes the account and signs in. By mail: sends a link and says only that; an address that is taken gets a mail that says so.
   * @throws Problem forbidden (sign-up is off), bad_request, weak_password, email_taken (only where sign-up is open), rate_limited
   */
  async signUp(email: unknown, password: unknown, visitor: Visitor): Promise<SignedIn | 'mailed'> {
    this.#requireSignUp();
    const address = this.#address(email);
    const chosen = checked(password, address);
    const { client, at } = visitor;
    const counted = [
      ...clientCounters('sign-up day', LIMITS.signUpDay, client),
      ...clientCounters('sign-up', LIMITS.signUpHour, client),
    ];
    const passwordHash = await this.#hashing(counted, at, (place) => hashPassword(chosen, place.run));
    const { accounts, mail, signUp } = this.#with;
    if (mail === undefined || signUp === 'open') {
      const accountId = await accounts.create(address, passwordHash, at);
      if (accountId === undefined) throw new Problem('email_taken');
      return await this.#open({ accountId, email: address }, ['pwd'], visitor);
    }
    if (!(await this.#mayMail(address, visitor))) return 'mailed';
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
    const { at } = visitor;
    const counted = [
      ...clientCounters('verify', LIMITS.followLink, visitor.client),
      subjectCounter('link', LIMITS.guessLink, linkId(secret, 'verify')),
    ];
    return await this.#hashing(counted, at, async (place) => {
      const link = await this.#find(secret, 'verify', at);
      const passwordHash = link.payload['passwordHash'] ?? '';
      if (!(await verifyPassword(textOf(password), passwordHash, place.run))) throw new Problem('invalid_credentials');
      if (!(await this.#with.store.takeLink(link))) throw new Problem('link_invalid');
      const accountId = await this.#with.accounts.create(link.email, passwordHash, at);
      if (accountId === undefined) throw new Problem('link_invalid');
      await this.#with.accounts.markVerified(accountId, at);
      await this.#giveBack(counted, at);
      return await this.#open({ accountId, email: link.email }, ['pwd'], visitor);
    });
  }

  /**
   * Follows the link that a start without an operator prints: makes the operator's account and signs in, whatever PULSE_SIGNUP says. The link is the proof. Where a
   * request comes from proves nothing, because behind a proxy on this machine every stranger is local.
   * @throws Problem link_invalid (also where an operator is by now), bad_request, weak_password, email_taken, rate_limited
   */
  async firstOperator(secret: unknown, email: unknown, password: unknown, visitor: Visitor): Promise<SignedIn> {
    const { client, at } = visitor;
    return await this.#hashing(clientCounters('operator', LIMITS.followLink, client), at, async (place) => {
      const link = await this.#find(secret, 'operator', at);
      const address = this.#address(email);
      const chosen = checked(password, address);
      const { accounts, store } = this.#with;
      if (await accounts.hasOperator()) throw new Problem('link_invalid');
      if ((await accounts.byEmail(address)) !== undefined) throw new Problem('email_taken');
      const passwordHash = await hashPassword(chosen, place.run);
      if (!(await store.takeLink(link))) throw new Problem('link_invalid');
      const accountId = await accounts.createOperator(address, passwordHash, at);
      if (accountId === undefined) throw new Problem('email_taken');
      return await this.#open({ accountId, email: address }, ['pwd'], visitor);
    });
  }

  /** Sends a reset link if there is such an account, and says nothing either way. @throws Problem bad_request, rate_limited */
  async requestReset(email: unknown, visitor: Visitor): Promise<void> {
    const address = this.#address(email);
    const { accounts, mail } = this.#with;
    if (mail === undefined || !(await this.#mayMail(address, visitor))) return;
    const found = await accounts.byEmail(address);
    // As in signUp: the link of an unknown address is written and never sent.
    const link = await this.#link('reset', address, { accountId: found?.accountId ?? '' }, RESET_MS, visitor);
    if (found !== undefined && !found.disabled) this.#send(mail.reset(address, link, visitor.language));
  }

  /** Sets a new password by a link, ends sessions, apps and keys as wished, and signs in as at sign-in. */
  async reset(secret: unknown, { next, alsoKeys }: NewPassword, visitor: Visitor): Promise<Entered> {
    const { at } = visitor;
    return await this.#hashing(clientCounters('reset', LIMITS.followLink, visitor.client), at, async (place) => {
      const link = await this.#find(secret, 'reset', at);
      const chosen = checked(next, link.email);
      const found = await this.#with.accounts.byId(link.payload['accountId'] ?? '');
      if (found === undefined || found.disabled) throw new Problem('link_invalid');
      const passwordHash = await hashPassword(chosen, place.run);
      if (!(await this.#with.store.takeLink(link))) throw new Problem('link_invalid');
      await this.#replacePassword(found.accountId, passwordHash, alsoKeys, at);
      if (!found.verified) await this.#with.accounts.markVerified(found.accountId, at);
      return await this.#enter(found, visitor);
    });
  }

  /** Changes the password of a signed-in account; other sessions and apps end, keys where wished. */
  async changePassword(
    { account, id }: OwnSession,
    current: unknown,
    { next, alsoKeys }: NewPassword,
    { at }: Pick<Visitor, 'at'>,
  ): Promise<void> {
    const accountId = account.id;
    await this.#provingPassword(accountId, current, at, async ({ email }, place) => {
      const passwordHash = await hashPassword(checked(next, email), place.run);
      await this.#replacePassword(accountId, passwordHash, alsoKeys, at, id);
    });
  }

  /** Acts for a signed-in account with its password, in the same place of the queue. @throws Problem invalid_credentials, rate_limited */
  async #provingPassword(
    accountId: string,
    password: unknown,
    at: UnixMs,
    work: (account: StoredCredentials, place: HashPlace) => Promise<void>,
  ): Promise<void> {
    const guess = subjectCounter('change', LIMITS.guessPair, accountId);
    await this.#hashing([guess, rightPassword(accountId)], at, async (place) => {
      const found = await this.#with.accounts.byId(accountId);
      if (found === undefined || !(await verifyPassword(textOf(password), found.passwordHash, place.run))) {
        this.#refused(found, 'password', at);
        throw new Problem('invalid_credentials', { message: 'The password is wrong.' });
      }
      await work(found, place);
      await this.#giveBack([guess], at);
    });
  }

  /** Asks a signed-in account for its password again, before something that cannot be undone. @throws Problem invalid_credentials, rate_limited */
  async confirmPassword(accountId: string, password: unknown, { at }: Pick<Visitor, 'at'>): Promise<void> {
    await this.#provingPassword(accountId, password, at, async () => {});
  }

  /** Ends every session and every unfinished sign-in of an account. Apps and keys go on. */
  async endEverywhere(accountId: string, at: UnixMs): Promise<void> {
    await this.#with.sessions.endAll(accountId);
    await this.#with.factors.forgetSteps(accountId);
    this.#with.onEvent(endedEvent(accountId, 'everywhere', at));
  }

  /** @throws Problem forbidden */
  #requireSignUp(): void {
    if (this.#with.signUp === 'off') throw new Problem('forbidden', { message: NO_SIGN_UP });
  }

  async #replacePassword(
    accountId: string,
    passwordHash: string,
    alsoKeys: boolean,
    at: UnixMs,
    exceptSession?: string,
  ): Promise<void> {
    await this.#with.accounts.setPassword(accountId, passwordHash, at);
    await this.#with.sessions.endAll(accountId, exceptSession);
    await this.#with.factors.forgetSteps(accountId);
    await this.#with.disconnectApps(accountId, at);
    if (alsoKeys) await this.#with.accounts.revokeKeys(accountId, at);
  }

  /** After the password: the session, or the question for the account's second factor. */
  async #enter(found: StoredCredentials, arriving: Arriving): Promise<Entered> {
    return (await this.#with.factors.ask(found.accountId, arriving.at)) ?? (await this.#open(found, ['pwd'], arriving));
  }

  async #open(
    { accountId, email }: Pick<StoredCredentials, 'accountId' | 'email'>,
    amr: readonly AuthenticationMethod[],
    { client, agent, at }: Arriving,
  ): Promise<SignedIn> {
    const country = this.#with.countryOf(client);
    const { isNewCountry, ...session } = await this.#with.sessions.open(accountId, amr, { country, agent }, at);
    this.#with.onEvent({
      action: 'session.open',
      actor: `user:${accountId}`,
      subject: accountId,
      detail: { amr: amr.join(' '), ...(country && { country }), ...(isNewCountry && { new_country: true }) },
      counts: { count: 1 },
      at,
    });
    return { accountId, ...session, device: this.#with.devices.issue(email, at) };
  }

  /** Refusals of addresses without an account are counted together. */
  #refused(found: StoredCredentials | undefined, reason: string, at: UnixMs): void {
    this.#with.onEvent(refusedEvent(found, reason, at));
  }

  /**
   * Counters of a wrong password. A browser that has signed in to this address before counts apart from every stranger, or ten strangers could lock its
   * owner out.
   */
  #guesses(address: string | undefined, { client, device, at }: Visitor): readonly LimitCounter[] {
    const name = digest(address ?? 'none');
    if (address !== undefined && this.#with.devices.isOf(device, address, at))
      return [subjectCounter('guess device', LIMITS.guessDevice, name)];
    return [
      ...clientCounters('guess', LIMITS.guessClient, client),
      pairCounter('guess pair', LIMITS.guessPair, client, name),
      subjectCounter('guess account', LIMITS.guessAccount, name),
    ];
  }

  /** Counts first and asks later, so that many attempts at once do not all pass. A fault of ours was not an attempt. */
  async #hashing<Result>(
    counters: readonly LimitCounter[],
    at: UnixMs,
    work: (place: HashPlace) => Promise<Result>,
  ): Promise<Result> {
    await this.#admit(counters, at);
    const place = this.#with.hashing.enter();
    try {
      if (place === undefined) throw new QueueFull();
      return await work(place);
    } catch (error) {
      if (!(error instanceof Problem)) await this.#giveBack(counters, at);
      throw error instanceof QueueFull ? tooMany(QUEUE_SEC) : error;
    } finally {
      place?.leave();
    }
  }

  async #admit(counters: readonly LimitCounter[], at: UnixMs): Promise<void> {
    try {
      await admit(this.#with.limiter, counters, at);
    } catch (error) {
      this.#refused(undefined, 'limit', at);
      throw error;
    }
  }

  async #giveBack(counters: readonly LimitCounter[], at: UnixMs): Promise<void> {
    await this.#with.limiter.giveBack(counters, at);
  }

  /**
   * One client may have only so many mails sent to an address, and all clients together only so many more; past that the request looks as if it had worked.
   * The first is asked first, so that one stranger cannot use up the second; a browser that has signed in to the address before has a share of its own.
   */
  async #mayMail(address: string, { client, device, at }: Visitor): Promise<boolean> {
    const name = digest(address);
    const counters = this.#with.devices.isOf(device, address, at)
      ? [subjectCounter('mail device', LIMITS.mailDevice, name)]
      : [pairCounter('mail pair', LIMITS.mailPair, client, name), subjectCounter('mail', LIMITS.mailAddress, name)];
    return (await this.#with.limiter.take(counters, at)) === undefined;
  }

  async #link(
    purpose: 'verify' | 'reset',
    email: string,
    payload: Readonly<Record<string, string>>,
    ttlMs: number,
    visitor: Visitor,
  ): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await this.#with.store.addLink(
      { id: linkId(secret, purpose), purpose, email, payload, expiresAt: unixMs(visitor.at + ttlMs) },
      visitor.at,
    );
    return `${this.#page(purpose, visitor.language)}${fragmentOf(secret)}`;
  }

  #page(name: string, language: MailLanguage): string {
    return `${this.#with.baseUrl}${language === 'en' ? '/en' : ''}/console/${name}`;
  }

  async #find(secret: unknown, purpose: MailPurpose, at: UnixMs): Promise<MailLink> {
    const link =
      typeof secret === 'string' ? await this.#with.store.findLink(linkId(secret, purpose), purpose, at) : undefined;
    if (link === undefined) throw new Problem('link_invalid');
    return link;
  }

  #address(email: unknown): string {
    const address = normaliseEmail(email);
    if (address === undefined)
      throw new Problem('bad_request', { message: 'The e-mail address is not of a usable form.' });
    return address;
  }

  /** Not awaited: the time a mail takes would show whether one was sent. */
  #send(sending: Promise<void>): void {
    sending.catch(this.#with.onMailFault);
  }
}

/** A sign-in that failed: of an operator, of another account, or of none. */
export const refusedEvent = (
  found: Pick<StoredCredentials, 'accountId' | 'operator'> | undefined,
  reason: string,
  at: UnixMs,
  actor: EventActor = 'anonymous',
): CountedEvent => ({
  action: found?.operator === true ? 'operator.refuse' : 'session.refuse',
  actor,
  subject: found?.accountId ?? 'unknown',
  detail: { reason },
  counts: { count: 1 },
  at,
});

/** A sign-out: of this browser, of one from the list, or everywhere. */
export const endedEvent = (accountId: string, how: 'sign-out' | 'one' | 'everywhere', at: UnixMs): CountedEvent => ({
  action: 'session.end',
  actor: `user:${accountId}`,
  subject: accountId,
  detail: { how },
  counts: { count: 1 },
  at,
});

function checked(password: unknown, email: string): string {
  const fault = typeof password === 'string' ? checkNewPassword(password, email) : 'too_short';
  if (fault !== undefined) throw new Problem('weak_password', { detail: fault });
  return password as string;
}
