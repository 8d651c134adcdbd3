import type { ErrorDetail } from '../../../contract/documents.ts';
import {
  ACCOUNT_LIMITS,
  COST_LIMITS,
  type CostClass,
  clientCounters,
  type LimitCounter,
  subjectCounter,
} from '../../../core/limits/limits.ts';
import { dayCode, lookupAllowances, poolOf } from '../../../core/quota/allowances.ts';
import type { Allowance, ChargeRequest, ChargeResult } from '../../../core/quota/quota.ts';
import type { UnixMs } from '../../../core/units.ts';
import { isoTime } from '../../../service/iso-time.ts';
import { admit } from '../../../service/limiter.ts';
import { Problem } from '../../../service/problem.ts';
import { isCounted } from '../connection/app-pipe.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices, Links, LookupServices } from '../services.ts';
import type { Step } from '../step.ts';
import { identifyClient } from './identify-caller.ts';

/**
 * Counts one lookup in minute and day, then reports in this order: rate_limited, the input's fault, a used-up
 * day.
 */
export function chargeAllowance(exchange: Exchange, services: LookupServices): void | Promise<void> {
  const { minute, day } = lookupAllowances(exchange.caller!, services.limits);
  return charge(exchange, services, { units: 1, minute, day });
}

/** @throws Problem rate_limited, the fault kept, or the day's 429 */
export function charge(
  exchange: Exchange,
  services: LookupServices,
  what: Pick<ChargeRequest, 'units' | 'minuteUnits' | 'minute' | 'day'>,
): void | Promise<void> {
  // The exchange's instant may be minutes old, because a body came since then.
  const at = services.clock.now();
  const result = services.ledger.charge({
    ...what,
    at,
    day: exchange.fault === undefined ? what.day : NONE,
  });
  if (result instanceof Promise) return settleLater(exchange, services, result, at);
  settle(exchange, services, result, at);
}

const settleLater = (
  exchange: Exchange,
  services: LookupServices,
  result: Promise<ChargeResult>,
  at: UnixMs,
): Promise<void> => result.then((answer) => settle(exchange, services, answer, at));

const NONE: readonly [] = [];

function settle(exchange: Exchange, services: LookupServices, result: ChargeResult, at: UnixMs): void {
  exchange.minute = result.minute;
  exchange.day = result.day;
  if (result.ok) {
    if (result.receipt.ids.length > 0) exchange.receipt = result.receipt;
    if (exchange.fault !== undefined) throw exchange.fault;
    return;
  }
  throw chargeProblem(services, result, at);
}

/** Refuses a request of more units than the minute ever holds. It counts as one: it can never pass. */
export async function refuseTooManyUnits(
  exchange: Exchange,
  { ledger, clock }: LookupServices,
  minute: readonly Allowance[],
): Promise<never> {
  const at = clock.now();
  exchange.minute = (await ledger.charge({ at, units: 1, minute, day: [] })).minute;
  throw new Problem('batch_over_rate_limit', {
    extras: { retry_after: secondsUntil(exchange.minute?.resetsAt ?? at, at) },
  });
}

export const chargeProblem = (
  services: Pick<LookupServices, 'links'>,
  result: ChargeResult & { readonly ok: false },
  at: UnixMs,
): Problem =>
  result.window === 'minute'
    ? new Problem('rate_limited', { extras: { retry_after: secondsUntil(result.minute!.resetsAt, at) } })
    : dayProblem(services, result, at);

const secondsUntil = (then: number, now: number): number => Math.max(1, Math.ceil((then - now) / 1000));

function dayProblem(
  { links }: Pick<LookupServices, 'links'>,
  result: ChargeResult & { ok: false },
  at: UnixMs,
): Problem {
  const pool = poolOf(result.refusedBy);
  const { resetsAt } = result.day!;
  return new Problem(dayCode(result.refusedBy), {
    extras: {
      retry_after: secondsUntil(resetsAt, at),
      resets_at: isoTime(resetsAt),
      ...(pool === 'ip' && accountStep(links)),
      ...(pool === 'account' && {
        next_step: 'Wait for the reset, or choose a larger plan.',
        pricing_url: links.pricing,
        console_url: links.console,
      }),
      ...(pool === 'key' && {
        next_step: 'Raise the cap of this key in the console, or use another key.',
        console_url: links.console,
      }),
    },
  });
}

const accountStep = ({ signup }: Links): ErrorDetail =>
  signup === undefined
    ? { next_step: 'Ask the operator of this service for an account: it has a larger daily allowance.' }
    : { next_step: 'Sign up for a free account: it has a larger daily allowance.', signup_url: signup };

export function giveBack(exchange: Exchange, services: LookupServices): void | Promise<void> {
  const { receipt } = exchange;
  if (receipt === undefined) return;
  exchange.receipt = undefined;
  return services.ledger.refund(receipt, services.clock.now());
}

/**
 * Counts a lookup that was refused before the minute had its turn (method, key in the query, key, tier). The
 * minute counts every request (decisions 4.5), while the answer follows the order of checks (4.9), so a full
 * minute does not change the refusal. A caller with a good key pays from its account's minute, any other from
 * that of its client address: a bad key uses up nothing of another caller's.
 */
export function countRefusal(exchange: Exchange, services: HttpServices): void | Promise<void> {
  if (exchange.minute !== undefined) return;
  const caller = exchange.caller ?? identifyClient(exchange, services);
  const { minute } = lookupAllowances(caller, services.limits);
  const result = services.ledger.charge({ at: services.clock.now(), units: 1, minute, day: [] });
  if (result instanceof Promise) return result.then(() => {});
}

/**
 * The first step of every route that is not a lookup. It counts the request in its class under its client,
 * before its body, the database or a hash is touched, unless a lookup thread counted it before the pipe.
 * Where passwords are asked for, a browser that has signed in before counts under its device cookie, apart
 * from strangers on its address.
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
  if (isCounted(exchange.request, cost)) return;
  return admit(services.limiter, counters, exchange.at);
}

/** Takes the count of this request back, once, because it is counted elsewhere. */
export function giveBackCost(exchange: Exchange, services: Pick<HttpServices, 'limiter'>): void | Promise<void> {
  const counters: readonly LimitCounter[] = exchange.counted;
  exchange.counted = [];
  return services.limiter.giveBack(counters, exchange.at);
}

/**
 * Counts a console request in its class under its account too, over all its sessions and clients.
 * @throws Problem rate_limited
 */
export function takeAccountCost({ session, cost, at }: Exchange, { limiter }: HttpServices): void | Promise<void> {
  const limit = cost && ACCOUNT_LIMITS[cost];
  if (session === undefined || limit === undefined) return;
  return admit(limiter, [subjectCounter(`${cost} account`, limit, session.account.id)], at);
}
