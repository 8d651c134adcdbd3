import {
  COST_LIMITS,
  type CostClass,
  clientCounters,
  type LimitCounter,
  subjectCounter,
} from '../../../core/limits/limits.ts';
import { admit } from '../../../service/limiter.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import type { Step } from '../step.ts';
import { identifyClient } from './identify-caller.ts';

/**
 * The first step of every route that is not a look-up: counts the request in its class, under the client it came from, before its body, the database or a hash
 * is touched. Where passwords are asked for, a browser that has signed in before counts under its device cookie, apart from the strangers it shares an address
 * with.
 * @throws Problem rate_limited
 */
export const takeCost =
  (cost: CostClass): Step =>
  (exchange, services) => {
    exchange.cost = cost;
    const { cookie } = exchange.headers;
    const device =
      cost === 'hash' && cookie !== undefined ? services.sessions?.deviceOf(cookie, exchange.at) : undefined;
    if (device instanceof Promise) return device.then((holder) => take(exchange, services, cost, holder));
    return take(exchange, services, cost, device);
  };

function take(
  exchange: Exchange,
  services: HttpServices,
  cost: CostClass,
  device: string | undefined,
): void | Promise<void> {
  identifyClient(exchange, services);
  const counters =
    device === undefined
      ? clientCounters(cost, COST_LIMITS[cost], exchange.client!)
      : [subjectCounter(`${cost} device`, COST_LIMITS[cost], device)];
  exchange.counted = counters;
  return admit(services.limiter, counters, exchange.at);
}

/** Takes the count of this request back, once: it turned out to be one that is counted elsewhere. */
export function giveBackCost(exchange: Exchange, services: Pick<HttpServices, 'limiter'>): void | Promise<void> {
  const counters: readonly LimitCounter[] = exchange.counted;
  exchange.counted = [];
  return services.limiter.giveBack(counters, exchange.at);
}
