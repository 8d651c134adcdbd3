import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';
import type { By } from './account-store.ts';

/** A second factor as it is kept. */
export interface StoredFactor {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'totp' | 'passkey';
  /** Name by the account's holder; empty for TOTP. */
  readonly name: string;
  /** TOTP: the shared secret, sealed. Passkey: the COSE public key in base64url. */
  readonly secret: string;
  /** Passkey: the credential id in base64url, unique among all accounts. */
  readonly credentialId: string | undefined;
  /** Passkey: how the browser may reach it, as the browser said at registration. */
  readonly transports: readonly string[];
  /** TOTP: the last time step that was taken. Passkey: the authenticator's signature counter. */
  readonly counter: number;
  readonly createdAt: UnixMs;
  readonly lastUsedAt: UnixMs | undefined;
}

/** `sign-in`: the password was right and a factor is awaited. `totp`, `passkey`: a new factor is being set up. */
export type StepPurpose = 'sign-in' | 'totp' | 'passkey';

/** One unfinished piece of work with a factor, held for a few minutes for the holder of its token. */
export interface FactorStep {
  /** SHA-256 of the token. */
  readonly id: string;
  readonly purpose: StepPurpose;
  readonly accountId: string;
  /** The session that asked to prove itself again; undefined: a sign-in. */
  readonly sessionId: string | undefined;
  /** The passkey challenge, or the sealed secret of a TOTP in the making; empty: neither. */
  readonly payload: string;
  readonly expiresAt: UnixMs;
}

/** Port: second factors, recovery codes and unfinished steps. Every change of a factor is one transaction with its audit row. */
export interface SecondFactorStore {
  /** Oldest first. */
  factors(accountId: string): Promise<readonly StoredFactor[]>;
  /**
   * Adds a factor; a TOTP takes the place of the account's former one. However many come at once, the account has as many passkeys as it may.
   * @throws Problem bad_request: it has them already, or the credential is registered, here or with another account
   */
  addFactor(factor: StoredFactor, by: By): Promise<void>;
  /** False: the account has no such passkey. */
  renamePasskey(accountId: string, id: string, name: string, by: By): Promise<boolean>;
  /** The last factor takes the recovery codes along. @throws Problem forbidden: one must stay */
  removeFactor(accountId: string, id: string, mustKeepOne: boolean, by: By): Promise<boolean>;
  /** Removes factors, recovery codes and steps; returns how many factors there were. */
  removeAll(accountId: string, by: By): Promise<number>;
  /** Moves a counter from the value read to the value seen; false when another request was first. One atomic statement. */
  advanceCounter(id: string, from: number, to: number, at: UnixMs): Promise<boolean>;
  replaceRecoveryCodes(accountId: string, hashes: readonly string[], by: By): Promise<void>;
  /** Uses a recovery code up; false when there is none with this hash (any more). */
  takeRecoveryCode(accountId: string, hash: string, by: By): Promise<boolean>;
  recoveryCodesLeft(accountId: string): Promise<number>;
  addStep(step: FactorStep): Promise<void>;
  findStep(id: string, purpose: StepPurpose, at: UnixMs): Promise<FactorStep | undefined>;
  /** Uses a step up; false when another request did first. */
  takeStep(id: string): Promise<boolean>;
  /** Forgets the unfinished steps of an account: its password was changed. */
  dropSteps(accountId: string): Promise<void>;
  purgeSteps(at: UnixMs): Promise<void>;
}

export const tooManyPasskeys = (): Problem =>
  new Problem('bad_request', { message: `An account has at most ${ACCOUNT_CAPS.passkeys} passkeys.` });
