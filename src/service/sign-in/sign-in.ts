import { createHash, randomBytes } from 'node:crypto';
import type { Address } from '../../core/ip/address.ts';
import {
  clientCounters,
  clientSubjectCounter,
  LIMITS,
  type LimitCounter,
  subjectCounter,
} from '../../core/limits/limits.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { CountedEvent, EventActor, StoredCredentials } from '../accounts/account-store.ts';
import { checkNewPassword, type HashGate, type HashPlace, hashPassword, verifyPassword } from '../accounts/password.ts';
import { admit, type Limiter, tooMany } from '../limiter.ts';
import { Problem } from '../problem.ts';
import type { DeviceTokens } from './device-tokens.ts';
import type { FactorAnswer, FactorAsked, SecondFactors } from './second-factors.ts';
import type { AuthenticationMethod, Session, Sessions } from './session.ts';
import type { SignUpPolicy } from './sign-in-accounts.ts';

/**
 * - `createOfCompany`: creates an account without a password, for a person whose address the company's provider has
 *   verified.
 * - `markVerified`: records that a link proved the address. The calling thread sees it when the promise resolves.
 */
export interface SignInAccounts {
  byEmail(email: string): Promise<StoredCredentials | undefined>;
  byId(accountId: string): Promise<StoredCredentials | undefined>;
  create(email: string, passwordHash: string, at: UnixMs): Promise<string | undefined>;
  createOfCompany(email: string, operator: boolean, at: UnixMs): Promise<string | undefined>;
  setOperator(accountId: string, operator: boolean, at: UnixMs): Promise<void>;
  createOperator(email: string, passwordHash: string, at: UnixMs): Promise<string | undefined>;
  hasOperator(): Promise<boolean>;
  setPassword(accountId: string, passwordHash: string, at: UnixMs): Promise<void>;
  revokeKeys(accountId: string, at: UnixMs): Promise<void>;
  markVerified(accountId: string, at: UnixMs): Promise<void>;
}

/** `operator` links are not mailed: a start without an operator prints one (`firstOperatorLink`). */
export type MailPurpose = 'verify' | 'reset' | 'operator';

export interface MailLink {
  /** SHA-256 of the purpose and the secret in the link. */
  readonly id: string;
  readonly purpose: MailPurpose;
  readonly email: string;
  readonly payload: Readonly<Record<string, string>>;
  readonly expiresAt: UnixMs;
}

export interface SignInStore {
  addLink(link: MailLink, at: UnixMs): Promise<void>;
  findLink(id: string, purpose: MailPurpose, at: UnixMs): Promise<MailLink | undefined>;
  /** Consumes the link and all others of its purpose and address; false if another request did so first. */
  takeLink(link: MailLink): Promise<boolean>;
  dropLinks(purpose: MailPurpose): Promise<void>;
  purge(at: UnixMs): Promise<void>;
}

export type MailLanguage = 'zh' | 'en';

/** Sends the mails of sign-in. It is undefined where mail cannot be sent (PULSE_SMTP_URL). */
export interface SignInMail {
  verify(to: string, link: string, language: MailLanguage): Promise<void>;
  reset(to: string, link: string, language: MailLanguage): Promise<void>;
  alreadyRegistered(to: string, signInUrl: string, language: MailLanguage): Promise<void>;
}

/**
 * - `disconnectApps`: disconnects an account's apps, which a new password ends as it ends sessions.
 * - `onMailFault`: receives the fault of a mail. Answers to sign-up and reset do not show it, because they would
 *   reveal who has an account.
 */
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
  readonly disconnectApps: (accountId: string, at: UnixMs) => Promise<void>;
  readonly countryOf: (client: Address) => string | undefined;
  readonly onEvent: (event: CountedEvent) => void;
  readonly baseUrl: string;
  readonly onMailFault: (error: unknown) => void;
}

export interface Visitor {
  readonly client: Address;
  readonly device: string | undefined;
  readonly agent: string;
  readonly at: UnixMs;
  readonly language: MailLanguage;
}

type Arriving = Pick<Visitor, 'client' | 'agent' | 'at'>;

export interface Proof {
  readonly amr: readonly AuthenticationMethod[];
  readonly at: UnixMs;
}

/**
 * A typed password. `alsoKeys` revokes the account's keys too: a person who knew the old password may have
 * created some.
 */
export interface NewPassword {
  readonly next: unknown;
  readonly alsoKeys: boolean;
}

type OwnSession = Pick<Session, 'id'> & { readonly account: Pick<Session['account'], 'id'> };

export interface NewSession {
  readonly accountId: string;
  readonly token: string;
  readonly expiresAt: UnixMs;
  readonly device: { readonly token: string; readonly expiresAt: UnixMs };
}

export type SignInResult = NewSession | FactorAsked;

/** A full queue of hashes is worked off in this time. */
const QUEUE_SEC = 2;
const VERIFY_MS = 24 * HOUR_MS;
const RESET_MS = HOUR_MS;
const OPERATOR_MS = 24 * HOUR_MS;

const PASSWORD: Proof['amr'] = ['pwd'];

const NO_SIGN_UP = 'This service takes no sign-ups: its operator makes the accounts.';
const UNPROVED =
  'The mail address of this account is not proved yet. Set a new password by mail: its link proves the address.';

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const linkId = (secret: unknown, purpose: MailPurpose): string => digest(`${purpose}:${textOf(secret)}`);
const rightPassword = (of: string): LimitCounter => subjectCounter('right password', LIMITS.rightPassword, digest(of));

class QueueFull extends Error {}

/**
 * Returns the canonical form of an address, or undefined. Case is ignored, as by every large mail provider. A
 * character that stands for others (NFKC) is refused: folded, it would be another person's address.
 */
export function normaliseEmail(email: unknown): string | undefined {
  if (typeof email !== 'string') return undefined;
  const clean = email.trim().toLowerCase();
  if (email !== email.normalize('NFKC')) return undefined;
  return clean.length <= 254 && /^[^\s@<>()[\]\\,;:"\p{C}]{1,64}@[a-z0-9\p{L}-]+(\.[a-z0-9\p{L}-]+)+$/u.test(clean)
    ? clean
    : undefined;
}

/**
 * Creates the single-use link to the first operator's account and invalidates an earlier one.
 * @returns its fragment
 */
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

/** Browsers never send a fragment, so the secret appears in no log and no referrer. */
const fragmentOf = (secret: string): string => `#token=${secret}`;

/**
 * Sign-up, sign-in and passwords. Where mail can be sent, neither answers nor timing show who has an account.
 */
export class SignIn {
  readonly #with: SignInOptions;

  constructor(dependencies: SignInOptions) {
    this.#with = dependencies;
  }

  get policy(): SignUpPolicy {
    return this.#with.signUp;
  }

  get mailed(): boolean {
    return this.#with.mail !== undefined;
  }

  /**
   * @throws Problem invalid_credentials alike for a wrong password, an unknown address and a disabled
   * account; forbidden for an unproved address; rate_limited with retry_after
   */
  async signIn(email: unknown, password: unknown, visitor: Visitor): Promise<SignInResult> {
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

  async proveFactor(step: unknown, answer: FactorAnswer, visitor: Visitor): Promise<NewSession | 'confirmed'> {
    const { device, at } = visitor;
    const { accounts, devices } = this.#with;
    const isKnownDevice = async (id: string): Promise<boolean> => {
      const owner = devices.holder(device, at) === undefined ? undefined : await accounts.byId(id);
      return owner !== undefined && devices.isOf(device, owner.email, at);
    };
    const { accountId, sessionId, amr } = await this.#with.factors.prove(step, answer, isKnownDevice, at);
    const found = await accounts.byId(accountId);
    if (found === undefined || found.disabled) throw new Problem('invalid_credentials');
    if (sessionId === undefined) return await this.#open(found, { amr, at }, visitor);
    await this.#with.sessions.authenticate(sessionId, amr, at);
    return 'confirmed';
  }

  /** Continues the sign-in of a holder whom the company's provider has proved. The caller refuses disabled accounts. */
  async enterProved(found: StoredCredentials, proof: Proof, arriving: Arriving): Promise<SignInResult> {
    return await this.#enter(found, arriving, proof);
  }

  /**
   * Verifies a signed-in holder again (`isFresh`).
   * @returns the request for a second factor, if the account has one
   */
  async confirm(session: Session, password: unknown, { at }: Pick<Visitor, 'at'>): Promise<FactorAsked | undefined> {
    const accountId = session.account.id;
    await this.confirmPassword(accountId, password, { at });
    return await this.confirmProved(session, PASSWORD, at);
  }

  /** As `confirm`, after another proof of the holder than the password. */
  async confirmProved(session: Session, amr: Proof['amr'], at: UnixMs): Promise<FactorAsked | undefined> {
    const asked = await this.#with.factors.ask(session.account.id, { amr, at }, session.id);
    if (asked === undefined) await this.#with.sessions.authenticate(session.id, amr, at);
    return asked;
  }

  /**
   * With policy `open`, creates the account and signs in. With `mail`, sends a link; a taken address gets a
   * mail that says so, and the answer is the same.
   * @throws Problem forbidden (sign-up is off), bad_request, weak_password, email_taken (policy `open`),
   * rate_limited
   */
  async signUp(email: unknown, password: unknown, visitor: Visitor): Promise<NewSession | 'mailed'> {
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
      return await this.#open({ accountId, email: address }, { amr: PASSWORD, at }, visitor);
    }
    if (!(await this.#mayMail(address, visitor))) return 'mailed';
    const taken = (await accounts.byEmail(address)) !== undefined;
    // The link is also written for a taken address, and never sent: a missing statement would show who has an
    // account.
    const link = await this.#link('verify', address, { passwordHash }, VERIFY_MS, visitor);
    if (taken) this.#send(mail.alreadyRegistered(address, this.#page('sign-in', visitor.language), visitor.language));
    else this.#send(mail.verify(address, link, visitor.language));
    return 'mailed';
  }

  /**
   * Follows a verification link. It asks for the password again: a person may have signed up another's
   * address, and with the link alone would share the account that the owner's click creates.
   * @throws Problem forbidden (sign-up is off by now), link_invalid, invalid_credentials, rate_limited
   */
  async verify(secret: unknown, password: unknown, visitor: Visitor): Promise<NewSession> {
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
      return await this.#open({ accountId, email: link.email }, { amr: PASSWORD, at }, visitor);
    });
  }

  /**
   * Follows the link that a start without an operator prints: creates the operator's account and signs in,
   * regardless of PULSE_SIGNUP. The link is the only proof. The client's address proves nothing, because
   * behind a proxy on this machine every stranger is local.
   * @throws Problem link_invalid (also if there is an operator by now), bad_request, weak_password,
   * email_taken, rate_limited
   */
  async firstOperator(secret: unknown, email: unknown, password: unknown, visitor: Visitor): Promise<NewSession> {
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
      return await this.#open({ accountId, email: address }, { amr: PASSWORD, at }, visitor);
    });
  }

  /**
   * Sends a reset link if the account exists; the answer is the same either way.
   * @throws Problem bad_request, rate_limited
   */
  async requestReset(email: unknown, visitor: Visitor): Promise<void> {
    const address = this.#address(email);
    const { accounts, mail } = this.#with;
    if (mail === undefined || !(await this.#mayMail(address, visitor))) return;
    const found = await accounts.byEmail(address);
    // As in `signUp`, the link of an unknown address is written and never sent.
    const link = await this.#link('reset', address, { accountId: found?.accountId ?? '' }, RESET_MS, visitor);
    // A person of the company who left could otherwise go on with a password set before.
    const isCompanys = found?.ofCompany === true && found.passwordHash === null;
    if (found !== undefined && !found.disabled && !isCompanys) this.#send(mail.reset(address, link, visitor.language));
  }

  /** Sets a new password by a reset link, ends all sessions and apps, and continues like a sign-in. */
  async reset(secret: unknown, { next, alsoKeys }: NewPassword, visitor: Visitor): Promise<SignInResult> {
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

  /** Changes the password of a signed-in account and ends its apps and all other sessions. */
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

  /**
   * Verifies a signed-in account's password before an irreversible action.
   * @throws Problem invalid_credentials, rate_limited
   */
  async confirmPassword(accountId: string, password: unknown, { at }: Pick<Visitor, 'at'>): Promise<void> {
    await this.#provingPassword(accountId, password, at, async () => {});
  }

  /** Ends an account's sessions and unfinished sign-ins. Apps and keys stay valid. */
  async endEverywhere(accountId: string, at: UnixMs): Promise<void> {
    await this.#with.sessions.endAll(accountId);
    await this.#with.factors.forgetSteps(accountId);
    this.#with.onEvent(sessionEndEvent(accountId, 'everywhere', at));
  }

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

  async #enter(
    found: StoredCredentials,
    arriving: Arriving,
    proof: Proof = { amr: PASSWORD, at: arriving.at },
  ): Promise<SignInResult> {
    const asked = await this.#with.factors.ask(found.accountId, { amr: proof.amr, at: arriving.at });
    return asked ?? (await this.#open(found, proof, arriving));
  }

  async #open(
    { accountId, email }: Pick<StoredCredentials, 'accountId' | 'email'>,
    proof: Proof,
    { client, agent, at }: Arriving,
  ): Promise<NewSession> {
    const { amr } = proof;
    const country = this.#with.countryOf(client);
    const place = { country, agent };
    const { isNewCountry, ...session } = await this.#with.sessions.open(accountId, amr, place, at, proof.at);
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

  #refused(found: StoredCredentials | undefined, reason: string, at: UnixMs): void {
    this.#with.onEvent(refusedEvent(found, reason, at));
  }

  /**
   * Counters of wrong passwords. A browser that has signed in to this address before is counted apart from
   * strangers, ten of whom could otherwise lock the owner out.
   */
  #guesses(address: string | undefined, { client, device, at }: Visitor): readonly LimitCounter[] {
    const name = digest(address ?? 'none');
    if (address !== undefined && this.#with.devices.isOf(device, address, at))
      return [subjectCounter('guess device', LIMITS.guessDevice, name)];
    return [
      ...clientCounters('guess', LIMITS.guessClient, client),
      clientSubjectCounter('guess pair', LIMITS.guessPair, client, name),
      subjectCounter('guess account', LIMITS.guessAccount, name),
    ];
  }

  /**
   * Counts before the check, so that attempts at the same time cannot exceed the limit. A fault of the
   * service is not counted.
   */
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
   * Limits mails to an address per client, and then over all clients; beyond that the request seems to
   * succeed.
   * The client's limit is checked first, so that one stranger cannot use up the common one. A browser that
   * has signed in to the address before has its own limit.
   */
  async #mayMail(address: string, { client, device, at }: Visitor): Promise<boolean> {
    const name = digest(address);
    const counters = this.#with.devices.isOf(device, address, at)
      ? [subjectCounter('mail device', LIMITS.mailDevice, name)]
      : [
          clientSubjectCounter('mail pair', LIMITS.mailPair, client, name),
          subjectCounter('mail', LIMITS.mailAddress, name),
        ];
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

  /** Does not wait: the duration would show whether a mail was sent. */
  #send(sending: Promise<void>): void {
    sending.catch(this.#with.onMailFault);
  }
}

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

export const sessionEndEvent = (
  accountId: string,
  how: 'sign-out' | 'one' | 'everywhere',
  at: UnixMs,
): CountedEvent => ({
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
