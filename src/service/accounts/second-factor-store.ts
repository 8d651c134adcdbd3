import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import type { UnixMs } from '../../core/units.ts';
import { Problem } from '../problem.ts';
import type { AuthenticationMethod } from '../sign-in/session.ts';
import type { By } from './account-store.ts';

/**
 * - `secret`: for TOTP it is the sealed shared secret, for a passkey the COSE public key in base64url.
 * - `credentialId`: unique among all accounts; a passkey's credential id in base64url.
 * - `counter`: for TOTP it is the last accepted time step, for a passkey the authenticator's signature counter.
 */
export interface StoredFactor {
  readonly id: string;
  readonly accountId: string;
  readonly kind: 'totp' | 'passkey';
  readonly name: string;
  readonly secret: string;
  readonly credentialId: string | undefined;
  readonly transports: readonly string[];
  readonly counter: number;
  readonly createdAt: UnixMs;
  readonly lastUsedAt: UnixMs | undefined;
}

/** `sign-in` waits for a factor after a right password or a sign-in at the company's provider; `totp` and `passkey` set up a new factor. */
export type StepPurpose = 'sign-in' | 'totp' | 'passkey';

/**
 * An unfinished step is valid for a few minutes for the holder of its token.
 * - `sessionId`: undefined during a sign-in; otherwise the holder of this session proves who they are.
 * - `amr`: these methods proved the holder before the factor. There are none while one is set up.
 * - `payload`: holds the passkey challenge or the sealed secret of an unconfirmed TOTP; otherwise empty.
 */
export interface FactorStep {
  readonly id: string;
  readonly purpose: StepPurpose;
  readonly accountId: string;
  readonly sessionId: string | undefined;
  readonly amr: readonly AuthenticationMethod[];
  readonly payload: string;
  readonly expiresAt: UnixMs;
}

/** Every change of a factor is one transaction with its audit row. */
export interface SecondFactorStore {
  factors(accountId: string): Promise<readonly StoredFactor[]>;
  /**
   * Adds a factor; a TOTP replaces the account's previous one. The cap on passkeys holds under concurrency.
   * @throws Problem bad_request at the cap, or when any account has registered the credential
   */
  addFactor(factor: StoredFactor, by: By): Promise<void>;
  renamePasskey(accountId: string, id: string, name: string, by: By): Promise<boolean>;
  /**
   * Removing the last factor removes the recovery codes too.
   * @throws Problem forbidden when one factor must stay
   */
  removeFactor(accountId: string, id: string, mustKeepOne: boolean, by: By): Promise<boolean>;
  removeAll(accountId: string, by: By): Promise<number>;
  /** One atomic statement; false if the counter is no longer `from`. */
  advanceCounter(id: string, from: number, to: number, at: UnixMs): Promise<boolean>;
  replaceRecoveryCodes(accountId: string, hashes: readonly string[], by: By): Promise<void>;
  takeRecoveryCode(accountId: string, hash: string, by: By): Promise<boolean>;
  recoveryCodesLeft(accountId: string): Promise<number>;
  addStep(step: FactorStep): Promise<void>;
  findStep(id: string, purpose: StepPurpose, at: UnixMs): Promise<FactorStep | undefined>;
  takeStep(id: string): Promise<boolean>;
  dropSteps(accountId: string): Promise<void>;
  purgeSteps(at: UnixMs): Promise<void>;
}

export const tooManyPasskeys = (): Problem =>
  new Problem('bad_request', { message: `An account has at most ${ACCOUNT_CAPS.passkeys} passkeys.` });
