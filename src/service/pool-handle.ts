import { createHmac } from 'node:crypto';

/** Handles already made, by account; a pool is asked for again with every look-up in it. Bounded: at the limit all are dropped and made anew. */
const made = new Map<string, string>();
const MADE_MAX = 100_000;

/**
 * What one account sees in place of a pool's internal name: a keyed hash over (account, pool). Stable within the account; two accounts cannot compare theirs.
 * @param secret the deployment's secret; a new one gives new handles
 */
export function poolHandle(secret: string, account: string, pool: string): string {
  const key = JSON.stringify([secret, account, pool]);
  const known = made.get(key);
  if (known !== undefined) return known;
  if (made.size >= MADE_MAX) made.clear();
  const handle = `rp_${createHmac('sha256', secret)
    .update(JSON.stringify(['pool', account, pool]))
    .digest('base64url')
    .slice(0, 22)}`;
  made.set(key, handle);
  return handle;
}
