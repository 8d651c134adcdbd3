import type { ErrorCode } from '../../contract/errors.ts';
import type { WindowState } from '../../core/quota/quota.ts';
import type { Exchange } from './exchange.ts';

/** Name, value, name, value …: the form `writeHead` takes without copying. */
export type FlatHeaders = (string | number)[];

export const EXPOSED_HEADERS =
  'X-Daily-Limit, X-Daily-Remaining, X-Daily-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, X-Request-Id, X-Pulse-Degraded';

/** Which allowance headers a refusal carries (interface, Limits): quota-type 429 all, rate_limited the minute's alone, everything else none. */
const REFUSAL_HEADERS: Partial<Record<ErrorCode, 'all' | 'minute'>> = {
  rate_limited: 'minute',
  batch_over_rate_limit: 'minute',
  quota_exceeded: 'all',
  quota_exceeded_anon: 'all',
  key_quota_exceeded: 'all',
  quota_exceeded_ai_agent: 'all',
};

/** The allowance headers of an answer; `code` is undefined on success. */
export function quotaHeaders(into: FlatHeaders, exchange: Pick<Exchange, 'minute' | 'day'>, code?: ErrorCode): FlatHeaders {
  const kind = code === undefined ? 'all' : REFUSAL_HEADERS[code];
  if (kind === 'all' && exchange.day !== undefined) pushDay(into, exchange.day);
  if (kind !== undefined && exchange.minute !== undefined) {
    into.push('X-RateLimit-Limit', exchange.minute.limit, 'X-RateLimit-Remaining', exchange.minute.remaining);
  }
  return into;
}

function pushDay(into: FlatHeaders, day: WindowState): void {
  into.push('X-Daily-Limit', day.limit, 'X-Daily-Remaining', day.remaining, 'X-Daily-Reset', day.resetsAt / 1000);
}
