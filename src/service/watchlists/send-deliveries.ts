import { backOff } from '../../core/kit/back-off.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { Clock } from '../ports.ts';
import type { DueDelivery, WatchlistStore } from './watchlist-store.ts';
import { signWebhook, webhookSecret } from './webhook-secret.ts';

/** Sends one POST and returns the status of its answer, or the reason why there was none. */
export type SendWebhook = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<number | string>;

export interface SendOptions {
  readonly store: WatchlistStore;
  readonly send: SendWebhook;
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

/** A lease outlasts an attempt, so that no other node makes the same one. */
const LEASE_MS = MINUTE_MS;
const PAUSES = { firstMs: 5000, maxMs: 4 * HOUR_MS };
const GIVEN_UP_AFTER_MS = DAY_MS;

/** Sends the due delivery of each list, one at a time and list, until none is due. */
export async function sendDeliveries(options: SendOptions): Promise<void> {
  const { store, clock } = options;
  for (;;) {
    const due = await store.claimDeliveries(clock.now(), LEASE_MS);
    if (due.length === 0) return;
    await Promise.all(due.map((one) => attempt(options, one)));
  }
}

async function attempt({ store, send, secret, clock }: SendOptions, delivery: DueDelivery): Promise<void> {
  const { id, body, list, attempts, since } = delivery;
  const timestamp = Math.floor(clock.now() / 1000);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(webhookSecret(secret, list), id, timestamp, body),
  };
  const answer = await send(list.url, headers, body);
  const isTaken = typeof answer === 'number' && answer >= 200 && answer < 300;
  const now = clock.now();
  const next = unixMs(now + backOff(attempts, PAUSES));
  const state = isTaken ? 'delivered' : next - since < GIVEN_UP_AFTER_MS ? 'waiting' : 'failed';
  await store.settle(delivery, state, String(answer), next satisfies UnixMs);
}
