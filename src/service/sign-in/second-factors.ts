import { createHash, createHmac, randomBytes } from 'node:crypto';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { LIMITS, type LimitCounter, subjectCounter } from '../../core/limits/limits.ts';
import { encodeBase32, type HmacSha1, matchTotp, otpauthUri } from '../../core/sign-in/match-totp.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import {
  type FactorStep,
  type SecondFactorStore,
  type StepPurpose,
  type StoredFactor,
  tooManyPasskeys,
} from '../accounts/second-factor-store.ts';
import { admit, type Limiter } from '../limiter.ts';
import { newId, randomCode } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { SecretBox } from './secret-box.ts';
import type { AuthenticationMethod } from './session.ts';
import type { KnownPasskey, Passkeys, WebAuthnJson } from './sign-in-ports.ts';

/**
 * The holder proved the password, or signed in at the company's provider, and a second factor is required.
 * - `step`: token that names this sign-in; valid for five minutes and one success.
 * - `passkey`: options for `navigator.credentials.get`; absent if the account has no passkey that works at this
 *   address.
 */
export interface FactorAsked {
  readonly step: string;
  readonly expiresAt: UnixMs;
  readonly totp: boolean;
  readonly passkey?: WebAuthnJson;
}

export interface FactorAnswer {
  readonly code?: unknown;
  readonly passkey?: unknown;
}

export interface VerifiedFactor {
  readonly accountId: string;
  readonly sessionId: string | undefined;
  readonly amr: readonly AuthenticationMethod[];
}

export interface FactorsStatus {
  readonly totp: StoredFactor | undefined;
  readonly passkeys: readonly StoredFactor[];
  readonly recoveryCodesLeft: number;
  readonly passkeysWork: boolean;
}

/**
 * - `host`: authenticators show this host name with the account.
 * - `onRefused`: called when a factor was wrong, or was not checked because of too many wrong ones.
 * - `onLocked`: called once a day when wrong codes have locked a kind of code for the rest of the day.
 */
export interface SecondFactorsOptions {
  readonly store: SecondFactorStore;
  readonly limiter: Limiter;
  readonly box: SecretBox;
  readonly secret: Uint8Array;
  readonly passkeys: Passkeys | undefined;
  readonly host: string;
  readonly onRefused: (accountId: string, at: UnixMs) => void;
  readonly onLocked: (accountId: string, method: AuthenticationMethod, at: UnixMs) => void;
}

const STEP_MS = 5 * MINUTE_MS;
const TOTP_SECRET_BYTES = 20;
const NAME_MAX = 60;
const SETTING_UP = { sessionId: undefined, amr: [] } as const;
const hmac: HmacSha1 = (key, message) => createHmac('sha1', key).update(message).digest();

export class SecondFactors {
  readonly #with: SecondFactorsOptions;

  constructor(options: SecondFactorsOptions) {
    this.#with = options;
  }

  async status(accountId: string): Promise<FactorsStatus> {
    const { store, passkeys } = this.#with;
    const [factors, recoveryCodesLeft] = await Promise.all([
      store.factors(accountId),
      store.recoveryCodesLeft(accountId),
    ]);
    return {
      totp: factors.find(({ kind }) => kind === 'totp'),
      passkeys: factors.filter(({ kind }) => kind === 'passkey'),
      recoveryCodesLeft,
      passkeysWork: passkeys !== undefined,
    };
  }

  /** Starts the second step of a sign-in, or of a session's proof; undefined if the account has no factor. */
  async ask(
    accountId: string,
    { amr, at }: { readonly amr: readonly AuthenticationMethod[]; readonly at: UnixMs },
    sessionId?: string,
  ): Promise<FactorAsked | undefined> {
    const factors = await this.#with.store.factors(accountId);
    if (factors.length === 0) return undefined;
    const known = factors.filter(({ kind }) => kind === 'passkey').map(knownPasskey);
    const passkey = known.length === 0 ? undefined : await this.#with.passkeys?.authenticationOptions(known);
    const payload = passkey?.challenge ?? '';
    const step = await this.#begin({ purpose: 'sign-in', accountId, sessionId, amr, payload }, at);
    const totp = factors.some(({ kind }) => kind === 'totp');
    return {
      step,
      expiresAt: unixMs(at + STEP_MS),
      totp,
      ...(passkey === undefined ? {} : { passkey: passkey.options }),
    };
  }

  /**
   * @param isKnownDevice whether this browser has signed in to the account before; its wrong codes are
   * counted apart from those of others
   * @throws Problem link_invalid for an expired or used step; invalid_credentials for a wrong factor;
   * rate_limited
   */
  async prove(
    token: unknown,
    answer: FactorAnswer,
    isKnownDevice: (accountId: string) => Promise<boolean>,
    at: UnixMs,
  ): Promise<VerifiedFactor> {
    const step = await this.#step(token, 'sign-in', at);
    const { accountId, sessionId } = step;
    try {
      const method =
        answer.passkey === undefined
          ? await this.#proveCode(accountId, answer.code, await isKnownDevice(accountId), at)
          : await this.#provePasskey(step, answer.passkey, at);
      if (!(await this.#with.store.takeStep(step.id))) throw expired();
      return { accountId, sessionId, amr: [...step.amr, method] };
    } catch (error) {
      if (error instanceof Problem && error.code !== 'link_invalid') this.#with.onRefused(accountId, at);
      throw error;
    }
  }

  /** The secret becomes a factor when `finishTotp` sees a right code. */
  async startTotp(
    account: { readonly id: string; readonly email: string },
    at: UnixMs,
  ): Promise<{ readonly step: string; readonly secret: string; readonly uri: string }> {
    const secret = randomBytes(TOTP_SECRET_BYTES);
    const payload = this.#with.box.seal(secret, `totp:${account.id}`);
    const step = await this.#begin({ ...SETTING_UP, purpose: 'totp', accountId: account.id, payload }, at);
    return { step, secret: encodeBase32(secret), uri: otpauthUri(secret, `Pulse ${this.#with.host}`, account.email) };
  }

  /** Activates the new secret. @returns recovery codes if this is the account's first factor */
  async finishTotp(accountId: string, token: unknown, code: unknown, by: By): Promise<readonly string[] | undefined> {
    const step = await this.#step(token, 'totp', by.at, accountId);
    const counted = await this.#count('setup', accountId, by.at);
    const secret = this.#with.box.open(step.payload, `totp:${accountId}`);
    const counter = matchTotp({ hmac, secret, code: typeof code === 'string' ? code : '', at: by.at });
    if (counter === undefined) throw wrongCode();
    if (!(await this.#with.store.takeStep(step.id))) throw expired();
    await this.#with.limiter.giveBack(counted, by.at);
    const blank = { name: '', credentialId: undefined, transports: [] } as const;
    return await this.#add({ ...blank, kind: 'totp', accountId, secret: step.payload, counter }, by);
  }

  /** @throws Problem bad_request if this address does not support passkeys, or at the cap on passkeys */
  async startPasskey(
    account: { readonly id: string; readonly email: string },
    at: UnixMs,
  ): Promise<{ readonly step: string; readonly options: WebAuthnJson }> {
    const known = (await this.#with.store.factors(account.id))
      .filter(({ kind }) => kind === 'passkey')
      .map(knownPasskey);
    if (known.length >= ACCOUNT_CAPS.passkeys) throw tooManyPasskeys();
    const { options, challenge } = await this.#passkeys().registrationOptions(account, known);
    const step = await this.#begin(
      { ...SETTING_UP, purpose: 'passkey', accountId: account.id, payload: challenge },
      at,
    );
    return { step, options };
  }

  /**
   * @returns recovery codes if this is the account's first factor
   * @throws Problem link_invalid, invalid_credentials, bad_request
   */
  async finishPasskey(
    accountId: string,
    token: unknown,
    response: unknown,
    name: unknown,
    by: By,
  ): Promise<readonly string[] | undefined> {
    const chosen = passkeyName(name);
    const step = await this.#step(token, 'passkey', by.at, accountId);
    if (!(await this.#with.store.takeStep(step.id))) throw expired();
    const passkey = await this.#passkeys().verifyRegistration(response, step.payload);
    if (passkey === undefined) throw new Problem('invalid_credentials', { message: 'The passkey was not accepted.' });
    const { publicKey: secret, ...rest } = passkey;
    return await this.#add({ ...rest, kind: 'passkey', accountId, secret, name: chosen }, by);
  }

  async renamePasskey(accountId: string, id: string, name: unknown, by: By): Promise<void> {
    if (!(await this.#with.store.renamePasskey(accountId, id, passkeyName(name), by))) throw noSuchFactor();
  }

  /** @param required refuses to remove the last factor. @throws Problem not_found, forbidden */
  async remove(accountId: string, id: string, required: boolean, by: By): Promise<void> {
    if (!(await this.#with.store.removeFactor(accountId, id, required, by))) throw noSuchFactor();
  }

  /** @throws Problem bad_request if the account has no factor */
  async renewRecoveryCodes(accountId: string, by: By): Promise<readonly string[]> {
    if ((await this.#with.store.factors(accountId)).length === 0)
      throw new Problem('bad_request', { message: 'Recovery codes stand in for a second factor; set one up first.' });
    return await this.#newCodes(accountId, by);
  }

  async forgetSteps(accountId: string): Promise<void> {
    await this.#with.store.dropSteps(accountId);
  }

  async #proveCode(
    accountId: string,
    code: unknown,
    isKnownDevice: boolean,
    at: UnixMs,
  ): Promise<AuthenticationMethod> {
    const typed = typeof code === 'string' ? code.replace(/[\s-]/g, '').toLowerCase() : '';
    const method = /^\d{6}$/.test(typed) ? 'otp' : 'recovery';
    const counted = await this.#count(isKnownDevice ? `device ${method}` : method, accountId, at, () =>
      this.#with.onLocked(accountId, method, at),
    );
    const right =
      method === 'otp'
        ? await this.#proveTotp(accountId, typed, at)
        : await this.#takeRecoveryCode(accountId, typed, at);
    if (!right) throw wrongCode();
    await this.#with.limiter.giveBack(counted, at);
    return method;
  }

  async #proveTotp(accountId: string, code: string, at: UnixMs): Promise<boolean> {
    const { store, box } = this.#with;
    const factor = (await store.factors(accountId)).find(({ kind }) => kind === 'totp');
    if (factor === undefined) return false;
    const step = matchTotp({ hmac, secret: box.open(factor.secret, `totp:${accountId}`), code, at });
    return (
      step !== undefined && step > factor.counter && (await store.advanceCounter(factor.id, factor.counter, step, at))
    );
  }

  async #takeRecoveryCode(accountId: string, code: string, at: UnixMs): Promise<boolean> {
    return await this.#with.store.takeRecoveryCode(accountId, this.#recoveryHash(accountId, code), {
      actor: `user:${accountId}`,
      at,
    });
  }

  async #provePasskey(
    { accountId, payload }: FactorStep,
    response: unknown,
    at: UnixMs,
  ): Promise<AuthenticationMethod> {
    const { store, passkeys } = this.#with;
    const id = typeof response === 'object' && response !== null && 'id' in response ? response.id : undefined;
    const factor = (await store.factors(accountId)).find(
      ({ kind, credentialId }) => kind === 'passkey' && credentialId === id,
    );
    const counter =
      factor === undefined || payload === ''
        ? undefined
        : await passkeys?.verifyAuthentication(response, payload, knownPasskey(factor));
    if (
      factor === undefined ||
      counter === undefined ||
      !(await store.advanceCounter(factor.id, factor.counter, counter, at))
    )
      throw new Problem('invalid_credentials', { message: 'The passkey was not accepted.' });
    return 'pop';
  }

  async #add(
    factor: Omit<StoredFactor, 'id' | 'createdAt' | 'lastUsedAt'>,
    by: By,
  ): Promise<readonly string[] | undefined> {
    const first = (await this.#with.store.factors(factor.accountId)).length === 0;
    const row = { ...factor, id: newId('fac', randomBytes), createdAt: by.at, lastUsedAt: undefined };
    await this.#with.store.addFactor(row, by);
    return first ? await this.#newCodes(factor.accountId, by) : undefined;
  }

  async #newCodes(accountId: string, by: By): Promise<readonly string[]> {
    const codes = Array.from({ length: ACCOUNT_CAPS.recoveryCodes }, () => randomCode(randomBytes));
    const hashes = codes.map((code) => this.#recoveryHash(accountId, code));
    await this.#with.store.replaceRecoveryCodes(accountId, hashes, by);
    return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'));
  }

  /** A code has 80 random bits, so one round of a keyed hash suffices. */
  #recoveryHash(accountId: string, code: string): string {
    return createHmac('sha256', this.#with.secret).update(`recovery:${accountId}:${code}`).digest('base64url');
  }

  #passkeys(): Passkeys {
    const { passkeys } = this.#with;
    if (passkeys === undefined)
      throw new Problem('bad_request', {
        message: 'Passkeys need a public address with a host name and https (PULSE_BASE_URL).',
      });
    return passkeys;
  }

  async #begin(step: Omit<FactorStep, 'id' | 'expiresAt'>, at: UnixMs): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.#with.store.addStep({ ...step, id: stepId(token), expiresAt: unixMs(at + STEP_MS) });
    return token;
  }

  async #step(token: unknown, purpose: StepPurpose, at: UnixMs, accountId?: string): Promise<FactorStep> {
    const step = typeof token === 'string' ? await this.#with.store.findStep(stepId(token), purpose, at) : undefined;
    if (step === undefined || (accountId !== undefined && step.accountId !== accountId)) throw expired();
    return step;
  }

  /**
   * Counts before the check, so that attempts at the same time cannot exceed the limit.
   * @returns the counters, to be given back after a right code
   * @throws Problem rate_limited
   */
  async #count(
    kind: string,
    accountId: string,
    at: UnixMs,
    onLocked: () => void = () => {},
  ): Promise<readonly LimitCounter[]> {
    const day = subjectCounter(`code day ${kind}`, LIMITS.guessCodeDay, accountId);
    const counters = [subjectCounter(`code ${kind}`, LIMITS.guessCode, accountId), day];
    try {
      await admit(this.#with.limiter, counters, at);
    } catch (error) {
      if (await this.#isFirstOfLock(day, kind, accountId, at)) onLocked();
      throw error;
    }
    return counters;
  }

  /** True when the day's counter is full and this was not reported in the last 24 hours. */
  async #isFirstOfLock(day: LimitCounter, kind: string, accountId: string, at: UnixMs): Promise<boolean> {
    const { limiter } = this.#with;
    if ((await limiter.take([day], at)) === undefined) {
      await limiter.giveBack([day], at);
      return false;
    }
    return (await limiter.take([subjectCounter(`lock ${kind}`, LIMITS.lockNotice, accountId)], at)) === undefined;
  }
}

const knownPasskey = ({ credentialId = '', secret, counter, transports }: StoredFactor): KnownPasskey => ({
  credentialId,
  publicKey: secret,
  counter,
  transports,
});

function passkeyName(name: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  if (text === '' || text.length > NAME_MAX || /\p{C}/u.test(text))
    throw new Problem('bad_request', { message: `A passkey needs a name of at most ${NAME_MAX} characters.` });
  return text;
}

const stepId = (token: string): string => createHash('sha256').update(`factor step:${token}`).digest('base64url');
const wrongCode = (): Problem =>
  new Problem('invalid_credentials', { message: 'The code is wrong, has expired or was used already.' });
const expired = (): Problem =>
  new Problem('link_invalid', { message: 'This step has expired or was finished already; start again.' });
const noSuchFactor = (): Problem => new Problem('not_found', { message: 'The account has no such second factor.' });
