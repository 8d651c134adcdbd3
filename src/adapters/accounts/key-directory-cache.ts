import { timingSafeEqual } from 'node:crypto';
import type { Account, ApiKey, Plan } from '../../core/caller/caller.ts';
import { isKeyText, keyFault } from '../../core/caller/sent-key.ts';
import { Recent } from '../../core/kit/recent.ts';
import type { UnixMs } from '../../core/units.ts';
import type { RecordChanges } from '../../service/accounts/change-feed.ts';
import type { KeyHasher } from '../../service/accounts/password.ts';
import { REQUEST_MS, withDeadline } from '../../service/deadline.ts';
import type { KeyDirectory, KeyVerdict } from '../../service/ports.ts';
import { asProblem } from '../../service/problem.ts';
import { StoreUnavailable } from '../../service/store-fault.ts';

export interface FoundKey {
  readonly hash: string;
  readonly key: ApiKey;
  readonly account: Account;
}

export interface KeyNews {
  round(): number;
  /** @param round that of the moment before the key was read: a later change may have made it stale */
  loaded(found: FoundKey, round: number): void;
}

/** SQLite answers at once, PostgreSQL with a promise. */
export interface KeySource {
  keyByHash(hash: string): FoundKey | undefined | Promise<FoundKey | undefined>;
  account(id: string): Account | undefined | Promise<Account | undefined>;
  plans(): readonly Plan[] | Promise<readonly Plan[]>;
  close(): void | Promise<void>;
}

/**
 * A cached account. A change of the account or its keys makes it `stale`, and with it every cached key of it.
 */
interface CachedAccount {
  account: Account;
  stale: boolean;
}
interface CachedKey {
  readonly digest: Buffer;
  readonly key: ApiKey;
  readonly owner: CachedAccount;
  notedAt: number;
}

/**
 * An uncached key cannot be judged without the store. The caller is asked to retry and gets no error about
 * the key.
 */
function unreachable(cause: unknown): never {
  throw asProblem(cause instanceof StoreUnavailable ? cause : new StoreUnavailable(cause));
}

/**
 * Sets the deadline of requests that only concern their key. A source that answers at once also throws at
 * once.
 */
function ask<Found>(question: () => Found): Found {
  try {
    return withDeadline(REQUEST_MS, question);
  } catch (cause) {
    return unreachable(cause);
  }
}

const UNKNOWN: KeyVerdict = { status: 'unknown' };
const MAX_KEYS = 131_072;
/**
 * Secrets cached as they were sent, so that a key in steady use costs a table lookup and no hash. They stay
 * in memory.
 */
const MAX_SECRETS = 16_384;
const MAX_UNKNOWN = 16_384;
const UNKNOWN_TTL_MS = 1000;
const USED_STEP_MS = 60_000;

interface CacheOptions {
  readonly maxKeys?: number;
  readonly news?: KeyNews;
}

/**
 * Caches keys and accounts of one thread. A hit costs one table lookup. A miss always asks the store, so a
 * new key works at once.
 * A wrong checksum never reaches the store, and an unknown key does so at most once a second.
 */
export class KeyDirectoryCache implements KeyDirectory {
  readonly #source: KeySource;
  readonly #hasher: KeyHasher;
  readonly #keys: Recent<string, CachedKey>;
  /**
   * Keyed by the secret. It grants nothing that the other tables would not: with a stale owner the store is
   * asked again.
   */
  readonly #secrets: Recent<string, CachedKey>;
  readonly #accounts: Recent<string, CachedAccount>;
  readonly #unknown = new Recent<string, UnixMs>(MAX_UNKNOWN);
  readonly #loading = new Map<string, Promise<CachedKey | undefined>>();
  readonly #used = new Map<string, UnixMs>();
  #plans: readonly Plan[];
  /** Counts the rounds of changes. An answer from an earlier round must not be cached. */
  #round = 0;

  readonly #news: KeyNews | undefined;

  private constructor(
    source: KeySource,
    hasher: KeyHasher,
    plans: readonly Plan[],
    { maxKeys = MAX_KEYS, news }: CacheOptions,
  ) {
    this.#news = news;
    this.#source = source;
    this.#hasher = hasher;
    this.#plans = plans;
    this.#keys = new Recent(maxKeys);
    this.#secrets = new Recent(Math.min(maxKeys, MAX_SECRETS));
    // An evicted account makes its keys stale, because no later change would reach them.
    this.#accounts = new Recent(maxKeys, (cached) => {
      cached.stale = true;
    });
  }

  static async open(source: KeySource, hasher: KeyHasher, options: CacheOptions = {}): Promise<KeyDirectoryCache> {
    return new KeyDirectoryCache(source, hasher, await source.plans(), options);
  }

  /** Opens the directory of a store that is away: no key is known until `changed` succeeds or others tell one. */
  static openAway(source: KeySource, hasher: KeyHasher, options: CacheOptions): KeyDirectoryCache {
    return new KeyDirectoryCache(source, hasher, [], options);
  }

  learn(found: FoundKey): void {
    this.#remember(found.hash, found, this.#round);
  }

  remembered(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict> | undefined {
    const known = this.#recall(secret, at);
    if (typeof known !== 'string') return known;
    return this.#loading.get(known)?.then((key) => this.#judgeLoaded(key, secret, known, at));
  }

  find(secret: string, at: UnixMs): KeyVerdict | Promise<KeyVerdict> {
    const known = this.#recall(secret, at);
    if (typeof known !== 'string') return known;
    const loaded = this.#loading.get(known) ?? this.#load(known);
    return loaded instanceof Promise
      ? loaded.then((key) => this.#judgeLoaded(key, secret, known, at))
      : this.#judgeLoaded(loaded, secret, known, at);
  }

  account(id: string): Account | undefined | Promise<Account | undefined> {
    const cached = this.#accounts.get(id);
    if (cached !== undefined && !cached.stale) return cached.account;
    const round = this.#round;
    const keep = (account: Account | undefined): Account | undefined => {
      if (account !== undefined && round === this.#round) this.#adopt(account);
      return account;
    };
    const found = ask(() => this.#source.account(id));
    return found instanceof Promise ? found.then(keep, unreachable) : keep(found);
  }

  plans(): readonly Plan[] {
    return this.#plans;
  }

  /**
   * Forgets changed keys at once, and reloads plans if they may have changed.
   * @throws the error of reloading, after which the caller must repeat it with `everything`
   */
  async changed(changes: RecordChanges): Promise<void> {
    this.#round += 1;
    this.#unknown.clear();
    if (changes === 'everything' || changes.some(({ topic }) => topic === 'plan')) {
      for (const cached of this.#accounts.values()) cached.stale = true;
      this.#accounts.clear();
      this.#keys.clear();
      this.#secrets.clear();
      this.#plans = await this.#source.plans();
      return;
    }
    for (const { topic, subject } of changes) {
      if (topic !== 'account') continue;
      const cached = this.#accounts.get(subject);
      if (cached !== undefined) cached.stale = true;
      this.#accounts.delete(subject);
    }
  }

  /**
   * Returns the keys used since the last call, for `AccountStore.markKeysUsed`. A key appears at most once a
   * minute.
   */
  takeUsed(): ReadonlyMap<string, UnixMs> {
    const taken = new Map(this.#used);
    this.#used.clear();
    return taken;
  }

  close(): void | Promise<void> {
    return this.#source.close();
  }

  #recall(secret: string, at: UnixMs): KeyVerdict | string {
    const sent = this.#secrets.get(secret);
    if (sent !== undefined && !sent.owner.stale) return this.#verdictOf(sent, at);
    if (!isKeyText(secret)) return UNKNOWN;
    const hash = this.#hasher.hash(secret);
    const cached = this.#keys.get(hash);
    if (cached !== undefined && !cached.owner.stale) return this.#judge(cached, secret, hash, at);
    const missedAt = this.#unknown.get(hash);
    return missedAt !== undefined && at >= missedAt && at - missedAt < UNKNOWN_TTL_MS ? UNKNOWN : hash;
  }

  #load(hash: string): CachedKey | undefined | Promise<CachedKey | undefined> {
    const round = this.#round;
    const toldOf = this.#news?.round() ?? 0;
    const found = ask(() => this.#source.keyByHash(hash));
    if (!(found instanceof Promise)) return this.#remember(hash, found, round);
    const loading = found
      .then((key) => {
        if (key !== undefined) this.#news?.loaded(key, toldOf);
        return this.#remember(hash, key, round);
      }, unreachable)
      .finally(() => this.#loading.delete(hash));
    this.#loading.set(hash, loading);
    return loading;
  }

  #remember(hash: string, found: FoundKey | undefined, round: number): CachedKey | undefined {
    if (found === undefined) return undefined;
    const fresh = round === this.#round;
    const owner = fresh ? this.#adopt(found.account) : { account: found.account, stale: true };
    const cached = {
      digest: Buffer.from(found.hash, 'latin1'),
      key: found.key,
      owner,
      notedAt: found.key.lastUsedAt ?? Number.NEGATIVE_INFINITY,
    };
    if (fresh) this.#keys.set(hash, cached);
    return cached;
  }

  #adopt(account: Account): CachedAccount {
    const known = this.#accounts.get(account.id);
    if (known !== undefined && !known.stale) {
      known.account = account;
      return known;
    }
    const cached = { account, stale: false };
    this.#accounts.set(account.id, cached);
    return cached;
  }

  #judgeLoaded(cached: CachedKey | undefined, secret: string, hash: string, at: UnixMs): KeyVerdict {
    if (cached !== undefined) return this.#judge(cached, secret, hash, at);
    this.#unknown.set(hash, at);
    return UNKNOWN;
  }

  #judge(cached: CachedKey, secret: string, hash: string, at: UnixMs): KeyVerdict {
    if (!timingSafeEqual(cached.digest, Buffer.from(hash, 'latin1'))) return UNKNOWN;
    this.#secrets.set(secret, cached);
    return this.#verdictOf(cached, at);
  }

  #verdictOf(cached: CachedKey, at: UnixMs): KeyVerdict {
    const { key, owner } = cached;
    const fault = keyFault(key, at);
    if (fault !== undefined) return { status: fault };
    if (owner.account.disabled) return { status: 'revoked' };
    if (at - cached.notedAt >= USED_STEP_MS) {
      cached.notedAt = at;
      this.#used.set(key.id, at);
    }
    return { status: 'ok', account: owner.account, key };
  }
}
