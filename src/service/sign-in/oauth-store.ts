import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

/** Kinds of rows the authorization server keeps. Ids of all but clients and grants are secrets and are stored as hashes only. */
export type OAuthKind =
  | 'Client'
  | 'Grant'
  | 'AccessToken'
  | 'RefreshToken'
  | 'AuthorizationCode'
  | 'Session'
  | 'Interaction'
  | (string & {});

/** A row's content as the authorization server wrote it, with its id in `jti` where it had one. JSON values only. */
export type OAuthPayload = Readonly<Record<string, unknown>>;

/** Grant of an access token, after every check that needs no clock but `at`. */
export interface TokenFacts {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly audience: string;
  readonly scope: string;
  /** When use of the grant was last noted. */
  readonly lastUsedAt: UnixMs | undefined;
}

/** An app an account has signed in, over all its consents (the console key panel's "authorised apps"). */
export interface AuthorisedApp {
  readonly clientId: string;
  /** As the client named itself: untrusted text, possibly empty. */
  readonly name: string;
  /** Hosts its redirects go to, the only part of its identity that was checked. */
  readonly redirectHosts: readonly string[];
  readonly firstAuthorisedAt: UnixMs;
  readonly lastUsedAt: UnixMs | undefined;
}

/** Rows of the authorization server. Expired rows are never found. Every method is one statement or one transaction. */
export interface OAuthStore {
  upsert(kind: OAuthKind, id: string, payload: OAuthPayload, at: UnixMs, expiresAt: UnixMs | undefined): Promise<void>;
  find(kind: OAuthKind, id: string, at: UnixMs): Promise<OAuthPayload | undefined>;
  findByUid(kind: OAuthKind, uid: string, at: UnixMs): Promise<OAuthPayload | undefined>;
  /** Marks as used, once: false when it was used before or is gone. Of several callers at once exactly one gets true. */
  consume(kind: OAuthKind, id: string, at: UnixMs): Promise<boolean>;
  destroy(kind: OAuthKind, id: string): Promise<void>;
  /** Removes the tokens and codes of a grant. The grant row itself is the authorization server's to remove. */
  revokeByGrant(kind: OAuthKind, grantId: string): Promise<void>;
  /** The token's facts while token and grant are both alive at `at`; undefined in every other case. */
  accessToken(token: string, at: UnixMs): Promise<TokenFacts | undefined>;
  /** Notes that the grant was used. */
  touchGrant(grantId: string, at: UnixMs): Promise<void>;
  /** Apps with a grant that can still be used at `at`, last used first. */
  apps(accountId: string, at: UnixMs): Promise<readonly AuthorisedApp[]>;
  /** Ends every grant of the account with this client, or with all clients, at once, with an audit row where there was one. Returns the number of grants ended. */
  disconnect(accountId: string, clientId: string | undefined, by: By): Promise<number>;
  /** Where there are `most` clients, drops the oldest that is not in use; false when every one is. */
  makeRoomForClient(most: number): Promise<boolean>;
  /** Ends the account's grants but the `keep` used last, tokens and codes with them. Returns the number of grants ended. */
  keepNewestGrants(accountId: string, keep: number): Promise<number>;
  /** Drops expired rows and clients that were not approved since `unusedBefore`. Returns the number of rows dropped. */
  purge(at: UnixMs, unusedBefore: UnixMs): Promise<number>;
}
