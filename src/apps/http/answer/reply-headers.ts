import type { ErrorCode } from '../../../contract/errors.ts';
import type { Exchange } from '../exchange.ts';

/** Type of an answer that is sent as finished JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Name, value, name, value …: the form `writeHead` takes without copying. */
export type FlatHeaders = (string | number)[];

export const EXPOSED_HEADERS =
  'X-Daily-Limit, X-Daily-Remaining, X-Daily-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, X-Request-Id, X-Pulse-Degraded';

/** Lines of every answer: no guessed types, and https alone for a year where the base URL has it (RFC 6797). */
export const protectiveLines = (baseUrl: string): string =>
  `X-Content-Type-Options: nosniff\r\n${baseUrl.startsWith('https:') ? 'Strict-Transport-Security: max-age=31536000\r\n' : ''}`;

/**
 * Which allowance headers a refusal carries (interface, Limits): quota-type 429 all, rate_limited the
 * minute's alone, everything else none.
 */
const REFUSAL_HEADERS: Partial<Record<ErrorCode, 'all' | 'minute'>> = {
  rate_limited: 'minute',
  batch_over_rate_limit: 'minute',
  quota_exceeded: 'all',
  quota_exceeded_anon: 'all',
  key_quota_exceeded: 'all',
  quota_exceeded_ai_agent: 'all',
};

/**
 * The allowance headers of an answer as finished lines; `code` is undefined on success. They are numbers:
 * nothing a caller sent is among them.
 */
export function quotaLines({ minute, day }: Pick<Exchange, 'minute' | 'day'>, code?: ErrorCode): string {
  const kind = code === undefined ? 'all' : REFUSAL_HEADERS[code];
  let lines = '';
  if (kind === 'all' && day !== undefined)
    lines += `X-Daily-Limit: ${day.limit}\r\nX-Daily-Remaining: ${day.remaining}\r\nX-Daily-Reset: ${day.resetsAt / 1000}\r\n`;
  if (kind !== undefined && minute !== undefined)
    lines += `X-RateLimit-Limit: ${minute.limit}\r\nX-RateLimit-Remaining: ${minute.remaining}\r\n`;
  return lines;
}

/** Finished lines as a list for `writeHead`. */
export function headersOf(lines: string): string[] {
  if (lines === '') return [];
  return lines
    .slice(0, -2)
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}
