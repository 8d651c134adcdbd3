import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

/**
 * Kinds of rows of the authorization server. Ids of clients and grants are stored as they are; all others are
 * secrets, stored as hashes.
 */
export type OAuthKind =
  | 'Client'
  | 'Grant'
  | 'AccessToken'
  | 'RefreshToken'
  | 'AuthorizationCode'
  | 'Session'
  | 'Interaction'
  | (string & {});

/** JSON values only, with the row's id in `jti` if it had one. */
export type OAuthContent = Readonly<Record<string, unknown>>;

export interface TokenFacts {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly audience: string;
  readonly scope: string;
  readonly lastUsedAt: UnixMs | undefined;
}

/**
 * - `name`: the client chose this name: it is untrusted text, possibly empty.
 * - `redirectHosts`: the hosts of its redirect URIs are the only verified part of its identity.
 */
export interface AuthorisedApp {
  readonly clientId: string;
  readonly name: string;
  readonly redirectHosts: readonly string[];
  readonly firstAuthorisedAt: UnixMs;
  readonly lastUsedAt: UnixMs | undefined;
}

/**
 * Rows of the authorization server. Expired rows are never returned. Every method is one statement or one
 * transaction.
 */
export interface OAuthStore {
  upsert(kind: OAuthKind, id: string, payload: OAuthContent, at: UnixMs, expiresAt: UnixMs | undefined): Promise<void>;
  /** The content has `consumed` if the row was used and does not work again. */
  find(kind: OAuthKind, id: string, at: UnixMs): Promise<OAuthContent | undefined>;
  findByUid(kind: OAuthKind, uid: string, at: UnixMs): Promise<OAuthContent | undefined>;
  /**
   * Marks a row as used; false if it was used before or is gone. Exactly one of several callers at once gets
   * true, but for refresh tokens: those work again for a minute after their first use, until a later one of the
   * family is used (decisions 7.5).
   */
  consume(kind: OAuthKind, id: string, at: UnixMs): Promise<boolean>;
  destroy(kind: OAuthKind, id: string): Promise<void>;
  /** Removes the tokens and codes of a grant. The authorization server removes the grant row itself. */
  revokeByGrant(kind: OAuthKind, grantId: string): Promise<void>;
  /** Returns undefined unless both token and grant are alive at `at`. */
  accessToken(token: string, at: UnixMs): Promise<TokenFacts | undefined>;
  touchGrant(grantId: string, at: UnixMs): Promise<void>;
  apps(accountId: string, at: UnixMs): Promise<readonly AuthorisedApp[]>;
  /**
   * Ends the account's grants with one client, or with all, and writes an audit row if there were any.
   * @returns the number of ended grants
   */
  disconnect(accountId: string, clientId: string | undefined, by: By): Promise<number>;
  /** At `most` clients, drops the oldest that is not in use, never approved ones first; false if all are in use. */
  makeRoomForClient(most: number): Promise<boolean>;
  /**
   * Ends all but the `keep` last-used grants, with their tokens and codes.
   * @returns the number of ended grants
   */
  keepNewestGrants(accountId: string, keep: number): Promise<number>;
  purge(at: UnixMs, unusedBefore: UnixMs): Promise<number>;
}
