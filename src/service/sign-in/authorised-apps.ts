import type { Account } from '../../core/caller/caller.ts';
import { SCOPE } from '../../core/oauth/lifetimes.ts';
import type { OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { MINUTE_MS, type UnixMs } from '../../core/units.ts';
import { ignoreUnavailable } from '../store-fault.ts';
import type { AuthorisedApp, OAuthStore } from './oauth-store.ts';

export class AuthorisedApps {
  readonly #store: OAuthStore;
  readonly #addresses: OAuthAddresses;
  readonly #account: (id: string) => Account | undefined | Promise<Account | undefined>;

  constructor(options: {
    readonly store: OAuthStore;
    readonly addresses: OAuthAddresses;
    readonly account: (id: string) => Account | undefined | Promise<Account | undefined>;
  }) {
    this.#store = options.store;
    this.#addresses = options.addresses;
    this.#account = options.account;
  }

  async list(accountId: string, at: UnixMs): Promise<readonly AuthorisedApp[]> {
    return await this.#store.apps(accountId, at);
  }

  /**
   * Revokes the app's tokens before it resolves: the next request with one is refused.
   * @returns false for an unknown app
   */
  async disconnect(accountId: string, clientId: string, at: UnixMs): Promise<boolean> {
    return (await this.#store.disconnect(accountId, clientId, { actor: `user:${accountId}`, at })) > 0;
  }

  async disconnectAll(accountId: string, at: UnixMs): Promise<void> {
    await this.#store.disconnect(accountId, undefined, { actor: `user:${accountId}`, at });
  }

  /**
   * Returns undefined for a token that is unknown, expired, revoked, of another audience or scope, or of a
   * disabled account.
   * It reads the store on every call, so that disconnecting takes effect at once. Use is recorded to the
   * minute.
   */
  async accountOf(token: string, at: UnixMs): Promise<Account | undefined> {
    const facts = await this.#store.accessToken(token, at);
    if (facts === undefined || facts.audience !== this.#addresses.audience || !facts.scope.split(' ').includes(SCOPE))
      return undefined;
    const account = await this.#account(facts.accountId);
    if (account === undefined || account.disabled) return undefined;
    if (facts.lastUsedAt === undefined || at - facts.lastUsedAt >= MINUTE_MS)
      await this.#store.touchGrant(facts.grantId, at).catch(ignoreUnavailable);
    return account;
  }
}
