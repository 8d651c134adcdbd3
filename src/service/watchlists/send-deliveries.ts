import { setTimeout as sleep } from 'node:timers/promises';
import { backOff } from '../../core/kit/back-off.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, unixMs } from '../../core/units.ts';
import type { Clock } from '../ports.ts';
import { type DueDelivery, isTest, type WatchlistStore } from './watchlist-store.ts';
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
  readonly signal: AbortSignal;
}

/** A lease outlasts an attempt, so that no other node makes the same one. */
const LEASE_MS = MINUTE_MS;
const PAUSES = { firstMs: 5000, maxMs: 4 * HOUR_MS };
const GIVEN_UP_AFTER_MS = DAY_MS;
/** Attempts of one account at once, so that slow receivers delay no other account. Tests are beyond them. */
const PLACES = 4;
const LOOK_AGAIN_MS = 1000;
const GONE = 410;

export async function sendDeliveries(options: SendOptions): Promise<void> {
  const { store, clock, signal } = options;
  const open = new Map<Promise<unknown>, string>();
  const placesOf = (accountId: string) => PLACES - [...open.values()].filter((one) => one === accountId).length;
  let fault: unknown;
  try {
    while (!signal.aborted) {
      for (const one of await store.claimDeliveries(clock.now(), LEASE_MS, placesOf)) {
        const work = attempt(options, one)
          .catch((error) => (fault ??= error))
          .finally(() => open.delete(work));
        open.set(work, isTest(one) ? '' : one.list.accountId);
      }
      if (open.size === 0 || fault !== undefined) break;
      await Promise.race([...open.keys(), sleep(LOOK_AGAIN_MS)]);
    }
  } finally {
    await Promise.all(open.keys());
  }
  if (fault !== undefined) throw fault;
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
  const isLast = isTest(delivery) || answer === GONE || next - since >= GIVEN_UP_AFTER_MS;
  const state = isTaken ? 'delivered' : isLast ? 'failed' : 'waiting';
  await store.settle(delivery, state, String(answer), next);
  if (answer === GONE) await store.end(list, String(answer), now);
}
