import type { ErrorCode } from '../../../contract/errors.ts';
import type { Exchange } from '../exchange.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

export type FlatHeaders = (string | number)[];

export const EXPOSED_HEADERS =
  'X-Daily-Limit, X-Daily-Remaining, X-Daily-Reset, X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, X-Request-Id, X-Pulse-Degraded';

/**
 * Every answer has these lines: no guessed types, and https alone for a year where the base URL has it (RFC
 * 6797).
 */
export const protectiveLines = (baseUrl: string): string =>
  `X-Content-Type-Options: nosniff\r\n${baseUrl.startsWith('https:') ? 'Strict-Transport-Security: max-age=31536000\r\n' : ''}`;

/**
 * The interface (Limits) gives a quota-type 429 all allowance headers, rate_limited the minute's alone, and
 * other refusals none.
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
 * Returns the allowance headers as finished lines; `code` is undefined on success. They are numbers, so
 * nothing from a caller is among them.
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
