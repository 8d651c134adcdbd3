import type { ConsoleToday } from '../../contract/console.ts';
import { type QuotaDay, quotaDayIn } from '../../core/quota/quota.ts';
import type { UnixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { Clock } from '../../service/ports.ts';
import type { CountsSeen, RequestCounts } from '../http/answer/request-counts.ts';
import { ROUTES } from '../http/routes.ts';

export interface TodayCountsOptions {
  readonly counts: Pick<RequestCounts, 'seen'>;
  readonly clock: Clock;
  readonly quotaTz: string;
}

/** Requests and refusals of this node in the quota day, or since this object was made if that was later. */
export class TodayCounts {
  readonly #options: TodayCountsOptions;
  readonly #dayOf: (at: UnixMs) => QuotaDay;
  #day: QuotaDay;
  #since: UnixMs;
  #before: CountsSeen;

  constructor(options: TodayCountsOptions) {
    this.#options = options;
    this.#dayOf = quotaDayIn(options.quotaTz);
    this.#since = options.clock.now();
    this.#day = this.#dayOf(this.#since);
    this.#before = options.counts.seen();
  }

  /** Begins again if the day changed since the last call. */
  beginDay(): void {
    const now = this.#options.clock.now();
    const day = this.#dayOf(now);
    if (day.number === this.#day.number) return;
    this.#day = day;
    this.#since = now;
    this.#before = this.#options.counts.seen();
  }

  seen(): Pick<ConsoleToday, 'since' | 'requests' | 'refusals'> {
    this.beginDay();
    const { requests, errors } = this.#options.counts.seen();
    return {
      since: isoTime(this.#since),
      requests: growth(byEndpoint(requests), byEndpoint(this.#before.requests)).map(([endpoint, count]) => {
        const path = PATHS.get(endpoint);
        return { ...(path !== undefined && { path }), count };
      }),
      refusals: growth(byCode(errors), byCode(this.#before.errors)).map(([code, count]) => ({ code, count })),
    };
  }
}

/** The first route of each counted chain, as the API reference writes it. */
const PATHS: ReadonlyMap<string, string> = new Map(
  ROUTES.toReversed().flatMap(({ methods, path, chain }) =>
    chain === undefined ? [] : [[chain, `${methods.split(',')[0]} ${path.replace(/:(\w+)/g, '{$1}')}`] as const],
  ),
);

function byEndpoint(requests: CountsSeen['requests']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { endpoint, count } of requests) counts.set(endpoint, (counts.get(endpoint) ?? 0) + count);
  return counts;
}

const byCode = (errors: CountsSeen['errors']): ReadonlyMap<string, number> =>
  new Map(errors.map(({ code, count }) => [code, count]));

/** Returns the names whose count grew, the greatest growth first. */
const growth = (
  now: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): readonly (readonly [name: string, count: number])[] =>
  [...now]
    .map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const)
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1]);
