import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../units.ts';

export type QuotaPool = 'ip' | 'account' | 'key' | 'agent' | 'phone';
export type QuotaId = `${QuotaPool}:${string}`;

/** A counter with its limit. A plan with overage may use up to `hardLimit`. */
export interface Allowance {
  readonly id: QuotaId;
  readonly limit: number;
  readonly hardLimit: number;
}

/**
 * One question to the ledger, decided in one atomic step: either all counters have room and are charged, or
 * none is charged.
 * - `at`: must be read from the clock for this charge. An earlier reading would look like a clock that went back.
 * - `units`: units of the day, and of the minute unless `minuteUnits` is given: 1 for a lookup, n for n numbers or
 *   addresses.
 * - `minute`: counted even for refused requests (decisions 4.5), except if the units exceed the whole limit.
 */
export interface ChargeRequest {
  readonly at: UnixMs;
  readonly units: number;
  readonly minuteUnits?: number;
  readonly minute: readonly Allowance[];
  readonly day: readonly Allowance[];
}

export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: UnixMs;
}

/** The binding allowance of a kind is its smallest; it is absent when none of the kind was asked. */
export interface Windows {
  readonly minute?: WindowState;
  readonly day?: WindowState;
}

/** `chargeId`: identifies the charge when a refund must be repeated after a lost connection. */
export interface Receipt {
  readonly units: number;
  readonly dayNumber: number;
  readonly ids: readonly QuotaId[];
  readonly chargeId?: string;
}

export type ChargeResult =
  | { readonly ok: true; readonly minute?: WindowState; readonly day?: WindowState; readonly receipt: Receipt }
  | {
      readonly ok: false;
      readonly window: 'minute' | 'day';
      readonly refusedBy: QuotaId;
      readonly minute?: WindowState;
      readonly day?: WindowState;
    };

/**
 * `dayNumber`: the quota day in force as days since 1970-01-01: the clock's, or a later one that was begun before
 * the clock went back.
 */
export interface DayUsage {
  readonly dayNumber: number;
  readonly used: number;
  readonly refunded: number;
  readonly resetsAt: UnixMs;
}

/**
 * A quota day. `number` is its civil date as days since 1970-01-01; it holds the instants from `startsAt`
 * until before `resetsAt`.
 */
export interface QuotaDay {
  readonly number: number;
  readonly startsAt: UnixMs;
  readonly resetsAt: UnixMs;
}

export type QuotaDayOf = (at: UnixMs) => QuotaDay;

/** All zones in use today have offsets in whole quarter hours, so each local midnight falls on this grid. */
const GRID_MS = 15 * MINUTE_MS;
/** Offsets range from -12:00 to +14:00, so a civil day begins within this distance of its UTC midnight. */
const REACH_MS = 15 * 4 * GRID_MS;

/**
 * The quota day lasts from midnight to midnight in an IANA zone (decisions 5.5).
 *
 * A day begins at the first instant whose local date is that date or a later one. So every instant has
 * exactly one day, and day numbers never go back. This holds where clocks change at midnight (there is no
 * 00:00 that day) or just after it (the old date shows twice), and where a zone skipped a date.
 * @throws RangeError when the zone is unknown
 */
export function quotaDayIn(zone: string): QuotaDayOf {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const localDate = (at: number): number => {
    let year = 0;
    let month = 0;
    let day = 0;
    for (const part of format.formatToParts(at)) {
      if (part.type === 'year') year = Number(part.value);
      else if (part.type === 'month') month = Number(part.value);
      else if (part.type === 'day') day = Number(part.value);
    }
    return Date.UTC(year, month - 1, day) / DAY_MS;
  };
  const startOf = (number: number): number => {
    let at = number * DAY_MS - REACH_MS;
    while (localDate(at) < number) at += GRID_MS;
    return at;
  };
  let known: QuotaDay = { number: 0, startsAt: unixMs(0), resetsAt: unixMs(0) };
  return (at) => {
    if (at >= known.startsAt && at < known.resetsAt) return known;
    let number = localDate(at);
    let startsAt = startOf(number);
    let resetsAt = startOf(number + 1);
    while (resetsAt <= at) {
      number++;
      startsAt = resetsAt;
      resetsAt = startOf(number + 1);
    }
    known = Object.freeze({ number, startsAt: unixMs(startsAt), resetsAt: unixMs(resetsAt) });
    return known;
  };
}

/**
 * When the clock goes back by at most this many days, the later day that was begun stays in force until the
 * clock reaches it.
 */
export const CLOCK_BACK_DAYS_MAX = 2;

/**
 * Returns whether a begun day stays in force at the clock's day. A clock that was further ahead was wrong,
 * and its day is given up.
 */
export const isCurrentDay = (begun: number, clockDay: number): boolean =>
  begun >= clockDay && begun - clockDay <= CLOCK_BACK_DAYS_MAX;

export const quotaDayBefore = (dayOf: QuotaDayOf, { startsAt }: QuotaDay): QuotaDay => dayOf(unixMs(startsAt - 1));

export function quotaDayOfNumber(dayOf: QuotaDayOf, number: number): QuotaDay {
  let day = dayOf(unixMs(number * DAY_MS));
  while (day.number < number) day = dayOf(day.resetsAt);
  while (day.number > number) day = quotaDayBefore(dayOf, day);
  return day;
}

export const minuteNumber = (at: UnixMs): number => Math.floor(at / MINUTE_MS);

export const windowOf = ({ limit }: Allowance, used: number, resetsAt: UnixMs): WindowState => ({
  limit,
  remaining: Math.max(0, limit - used),
  resetsAt,
});

/** Returns the binding one of two windows: the one with the least left; among equals, that of the smaller limit. */
export const lowerWindow = (known: WindowState | undefined, other: WindowState): WindowState =>
  known === undefined ||
  other.remaining < known.remaining ||
  (other.remaining === known.remaining && other.limit < known.limit)
    ? other
    : known;
