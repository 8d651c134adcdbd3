import { createHmac } from 'node:crypto';

const MADE_MAX = 100_000;

/** What accounts see in place of a pool's internal name: a keyed hash over (account, pool). Stable within one account; two accounts cannot compare theirs. */
export class PoolHandles {
  readonly #secret: Uint8Array;
  /** Handles already made; bounded, at the limit all are dropped and made again. */
  readonly #made = new Map<string, string>();

  /** @param secret the deployment's key for this use; another one gives other handles */
  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  of(account: string, pool: string): string {
    const key = JSON.stringify([account, pool]);
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    if (this.#made.size >= MADE_MAX) this.#made.clear();
    const handle = `rp_${createHmac('sha256', this.#secret).update(key).digest('base64url').slice(0, 22)}`;
    this.#made.set(key, handle);
    return handle;
  }
}
