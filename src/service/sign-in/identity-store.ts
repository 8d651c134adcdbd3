import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

/** A person of a provider. The subject stays the same when name and address change (OpenID Connect Core 1.0, 5.7). */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface LinkedIdentity extends Identity {
  readonly linkedAt: UnixMs;
}

export interface IdentityStore {
  accountOf(identity: Identity): Promise<string | undefined>;
  all(accountId: string): Promise<readonly LinkedIdentity[]>;
  /**
   * Links a person to an account, in one transaction with its audit row. A person who is linked already stays
   * with the first account.
   * @param isNew the account was made for this person
   */
  link(identity: Identity, accountId: string, isNew: boolean, by: By): Promise<void>;
}
