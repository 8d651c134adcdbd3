/**
 * Each script is one atomic step on the server. All keys carry one hash tag, so they work on a cluster too. A
 * counter is a string that expires with its window, so open windows bound the memory.
 */

import { createHmac } from 'node:crypto';
import type { Redis } from 'iovalkey';
import type { LimitCounter } from '../../../core/limits/limits.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { Limiter, Refusal } from '../../../service/limiter.ts';
import { openRedis } from '../../database/open-redis.ts';

/**
 * KEYS are counters. ARGV holds for each its limit and its window in milliseconds. Replies 0 when all were
 * counted; else none was, and the reply is the milliseconds until the full window ends.
 */
export const TAKE = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') >= tonumber(ARGV[2 * i - 1]) then
    return math.max(1, redis.call('PTTL', KEYS[i]))
  end
end
for i = 1, #KEYS do
  if redis.call('INCR', KEYS[i]) == 1 then redis.call('PEXPIRE', KEYS[i], ARGV[2 * i]) end
end
return 0
`;

export const GIVE_BACK = `
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or '0') > 0 then redis.call('DECR', KEYS[i]) end
end
return 1
`;

interface Fallback extends Limiter {
  hasPlaceFor(counter: LimitCounter, at: UnixMs): boolean;
}

export interface RedisLimiterOptions {
  readonly url: string;
  readonly fallback: Fallback;
  readonly secret: Uint8Array;
  readonly answerWithinMs?: number;
}

interface Scripted extends Redis {
  pulseLimitTake(keyCount: number, ...keysAndValues: (string | number)[]): Promise<number>;
  pulseLimitGiveBack(keyCount: number, ...keys: string[]): Promise<number>;
}

const AWAY_MS = 1000;

/** The limiter of several nodes. While the server is away, each node counts alone with the same limits. */
export class RedisLimiter implements Limiter {
  readonly #redis: Scripted;
  readonly #fallback: Fallback;
  readonly #secret: Uint8Array;
  #awayUntil = 0;

  constructor(options: RedisLimiterOptions) {
    this.#fallback = options.fallback;
    this.#secret = options.secret;
    this.#redis = openRedis<Scripted>(options.url, {
      name: 'pulse-limits',
      scripts: { pulseLimitTake: { lua: TAKE }, pulseLimitGiveBack: { lua: GIVE_BACK } },
      answerWithinMs: options.answerWithinMs,
    });
  }

  async ready(withinMs: number): Promise<boolean> {
    for (let waited = 0; !this.#isUp() && waited < withinMs; waited += 10)
      await new Promise((resolve) => setTimeout(resolve, 10));
    return this.#isUp();
  }

  take(counters: readonly LimitCounter[], at: UnixMs): Refusal | undefined | Promise<Refusal | undefined> {
    const own = counters.some(({ limit }) => limit.perNode === true);
    return own || !this.#isUp() ? this.#fallback.take(counters, at) : this.#take(counters, at);
  }

  giveBack(counters: readonly LimitCounter[], at: UnixMs): void | Promise<void> {
    const own = counters.some(({ limit }) => limit.perNode === true);
    // Units counted here during an outage may be given back on the server. That is harmless: a counter never
    // falls below zero, and its window ends.
    return own || !this.#isUp() ? this.#fallback.giveBack(counters, at) : this.#giveBack(counters, at);
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #take(asked: readonly LimitCounter[], at: UnixMs): Promise<Refusal | undefined> {
    const counters = asked.filter((one) => one.narrow !== true || this.#fallback.hasPlaceFor(one, at));
    const limits = counters.flatMap(({ limit }) => [limit.most, limit.windowMs]);
    try {
      const waitMs = await this.#redis.pulseLimitTake(counters.length, ...this.#keys(counters), ...limits);
      return waitMs === 0 ? undefined : { endsAt: unixMs(at + waitMs) };
    } catch {
      this.#wentAway();
      return await this.#fallback.take(asked, at);
    }
  }

  async #giveBack(counters: readonly LimitCounter[], at: UnixMs): Promise<void> {
    try {
      await this.#redis.pulseLimitGiveBack(counters.length, ...this.#keys(counters));
    } catch {
      this.#wentAway();
      await this.#fallback.giveBack(counters, at);
    }
  }

  #keys(counters: readonly LimitCounter[]): string[] {
    return counters.map(
      ({ id }) => `pulse:{limits}:${createHmac('sha256', this.#secret).update(id).digest('base64url').slice(0, 22)}`,
    );
  }

  #isUp(): boolean {
    return this.#redis.status === 'ready' && performance.now() >= this.#awayUntil;
  }

  #wentAway(): void {
    this.#awayUntil = performance.now() + AWAY_MS;
  }
}
