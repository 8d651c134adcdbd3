import { createHmac } from 'node:crypto';
import { Recent } from '../../core/kit/recent.ts';

const MADE_MAX = 100_000;

export interface PoolOptions {
  readonly secret: Uint8Array;
  readonly account?: string;
}

/**
 * Replaces a pool's internal name by a keyed hash over (account, pool). It is stable within one account; two
 * accounts cannot compare theirs.
 */
export class PoolHandles {
  readonly #secret: Uint8Array;
  readonly #account: string | undefined;
  readonly #made = new Recent<string, string>(MADE_MAX);

  constructor({ secret, account }: PoolOptions) {
    this.#secret = secret;
    this.#account = account;
  }

  of(account: string, pool: string): string {
    const key = JSON.stringify([this.#account ?? account, pool]);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const handle = `rp_${createHmac('sha256', this.#secret).update(key).digest('base64url').slice(0, 22)}`;
    this.#made.set(key, handle);
    return handle;
  }
}
