import { createHmac } from 'node:crypto';
import type { Watchlist } from './watchlist-store.ts';

const PREFIX = 'whsec_';

/**
 * Returns the secret of a list's webhook as Standard Webhooks writes it. It follows from the deployment's secret
 * and is stored nowhere.
 * @param key 32 bytes for this use alone
 */
export const webhookSecret = (key: Uint8Array, { accountId, id, nonce }: Watchlist): string =>
  PREFIX + createHmac('sha256', key).update(`${accountId}/${id}/${nonce}`).digest('base64');

export function signWebhook(secret: string, id: string, timestampSec: number, body: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSec}.${body}`).digest('base64')}`;
}
