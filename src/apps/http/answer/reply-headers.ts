import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { ErrorCode } from '../../../contract/errors.ts';
import { Problem } from '../../../service/problem.ts';
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

/**
 * Returns whether a client has this version already (RFC 9110, 13.1). Entity tags are compared weakly and
 * before the date: a proxy that compresses makes a tag weak.
 */
export function hasVersion(
  { 'if-none-match': tags, 'if-modified-since': since }: IncomingHttpHeaders,
  etag: string,
  modifiedAt = Infinity,
): boolean {
  if (tags !== undefined) return names(tags, etag);
  return since !== undefined && Math.floor(modifiedAt / 1000) * 1000 <= Date.parse(since);
}

export const etagOf = (content: string | Uint8Array): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

/** The version of what can be set; what the service notes by itself is left out of `settings`. */
export const versionOf = (settings: object): string => etagOf(JSON.stringify(settings));

export function sendVersion({ headers }: FastifyRequest, reply: FastifyReply, document: object, version: string) {
  reply.header('ETag', version);
  return hasVersion(headers, version) ? reply.code(304).send() : reply.send(document);
}

/**
 * Returns the check of what is held before a change (RFC 9110, 13.1.1 and 13.1.2), which throws
 * precondition_failed. A weak tag never matches in If-Match.
 */
export const versionCheck =
  <Held>({ 'if-match': wanted, 'if-none-match': excluded }: IncomingHttpHeaders, tagOf: (held: Held) => string) =>
  (held: Held | undefined): void => {
    const tag = held === undefined ? undefined : tagOf(held);
    const isOther = wanted !== undefined && !names(wanted, tag, (one) => one.trim());
    if (isOther || (excluded !== undefined && names(excluded, tag))) throw new Problem('precondition_failed');
  };

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');

const names = (tags: string, etag: string | undefined, read = opaque): boolean =>
  etag !== undefined && (tags.trim() === '*' || tags.split(',').some((tag) => read(tag) === read(etag)));

export function originHeaders(origin: string | undefined, origins?: readonly string[]): Record<string, string> {
  if (origins === undefined || origins.length === 0) return {};
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' };
  const exposed = { 'Access-Control-Expose-Headers': `WWW-Authenticate, ${EXPOSED_HEADERS}` };
  return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, ...exposed };
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, X-API-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, *',
  'Access-Control-Max-Age': '86400',
};

/** Answers the preflight request of a page of a named origin. Other requests are of a method that is not served. */
export const answerPreflight =
  (origins?: readonly string[]): RouteHandlerMethod =>
  async ({ method, headers: { origin } }, reply) => {
    if (method !== 'OPTIONS' || origin === undefined || !origins?.includes(origin))
      throw new Problem('method_not_allowed');
    return reply.code(204).headers(PREFLIGHT).send();
  };

/**
 * Lists the lower-case entries of an Accept header, the heaviest first (RFC 9110, 12.4.2), without those of
 * weight 0.
 */
export const weighed = (header: string): readonly (readonly [name: string, weight: number])[] =>
  header
    .toLowerCase()
    .split(',', 32)
    .map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((part) => part.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    })
    .filter(([name, weight]) => name !== '' && weight > 0)
    .toSorted(([, a], [, b]) => b - a);
