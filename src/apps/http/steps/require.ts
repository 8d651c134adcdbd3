import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '../../../core/caller/client-address.ts';
import { hasKeyInQuery, queryValue } from '../../../core/caller/query.ts';
import { isFresh } from '../../../core/sign-in/is-fresh.ts';
import { Problem } from '../../../service/problem.ts';
import { lacksFactor, type Session } from '../../../service/sign-in/session.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** HTTP/1.1 requires exactly one Host line (RFC 9112, 3.2). */
export function requireHost({ headers, request }: Pick<Exchange, 'headers' | 'request'>): void {
  if (headers.host === undefined && request.httpVersionMinor > 0)
    throw new Problem('bad_request', { message: 'The Host header is missing, or there are several.' });
}

/**
 * A key in the query string ends up in the log of every proxy on the way, so the request is refused
 * (interface, Authentication 2).
 */
export function refuseKeyInQuery({ query }: Exchange): void {
  if (query !== '' && hasKeyInQuery(query)) throw new Problem('key_in_query');
}

/**
 * Pages of other sites get no answer from the MCP endpoints (DNS rebinding, MCP 2025-11-25 "Security").
 * Without an Origin it is not a browser, or a same-origin read. Operators may name further origins.
 */
export function requireOwnOrigin({ request: { headers } }: Exchange, { baseUrl, mcpOrigins }: HttpServices): void {
  if (headers.origin === undefined || mcpOrigins?.includes(headers.origin)) return;
  if (isOwnOrigin({ origin: headers.origin, host: headers.host }, baseUrl)) return;
  throw new Problem('forbidden', { message: 'Requests from pages of other sites are not answered.' });
}

/**
 * Browsers ask before a page sends JSON to another site, and are not answered here; text they send at once
 * (Fetch, "CORS-safelisted request-header"). The page could not read the answer, but a thousand lookups would
 * be gone from its visitor's allowance. A refusal counts once in the minute.
 * @throws Problem forbidden
 */
export function refuseForeignText({ request: { headers } }: Exchange, { baseUrl }: HttpServices): void {
  if (isJson(headers['content-type']) || isSameSite(headers, baseUrl)) return;
  throw new Problem('forbidden', { message: 'Pages of other sites send batches as application/json.' });
}

/** Many HTTP libraries name a type with every request: no body has every type. */
export const takeEmpty = (_request: unknown, body: string | Buffer, done: (fault: Error | null) => void): void =>
  done(body.length === 0 ? null : new Problem('unsupported_media_type'));

export const isJson = (contentType = ''): boolean => /^\s*application\/json\s*(?:;|$)/i.test(contentType);

/**
 * True when a request that changes something comes from this site's own pages, or from no browser. Browsers
 * send Origin with every POST and Sec-Fetch-Site where they know it; a page elsewhere can omit neither.
 * `null` (sandboxed frames, opaque redirects) is elsewhere.
 */
export function isSameSite(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
  const { origin, host } = headers;
  return origin === undefined || isOwnOrigin({ origin, host }, baseUrl);
}

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * A console request that changes something must come from this site's own pages, signed in or not: sign-in
 * itself could be forged.
 */
export function requireSameSite({ request }: Exchange, { baseUrl }: HttpServices): void {
  if (READS.has(request.method) || isSameSite(request.headers, baseUrl)) return;
  throw new Problem('forbidden', { message: 'The request does not come from this site.' });
}

/** Every endpoint but GET /v1/ip/{ip} requires a key (interface, Authentication 3). */
export function requireKey({ caller }: Exchange): void {
  if (caller?.kind !== 'key') throw new Problem('key_required');
}

/** Requires the professional data tier. Assistants have none. */
export function requireProfessional(exchange: Exchange): void {
  const { caller, query } = exchange;
  requireDataTier(exchange, caller?.kind !== 'user' && query !== '' && queryValue(query, 'at') !== undefined);
}

/** Whole lists, in any form, hand out what plans bound by the day: the operator's own edge may fetch them, and the professional tier. */
export function requireLists(exchange: Exchange): void {
  if (exchange.caller?.kind !== 'key' || !exchange.caller.account.operator) requireProfessional(exchange);
}

/** The tier's absence has an error of its own for `at` (decisions 4.9). */
export function requireDataTier({ caller }: Exchange, asksHistory: boolean): void {
  if ((caller?.kind === 'key' || caller?.kind === 'user') && caller.account.dataTier === 'professional') return;
  throw new Problem(asksHistory ? 'history_requires_professional' : 'professional_required');
}

/**
 * Requires the phone capability: first whether the plan can hold it, then whether the account and this key
 * have it (interface, Authentication 5).
 */
export function requirePhone({ caller }: Exchange): void {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  if (!caller.account.phoneEligible) throw new Problem('capability_not_eligible');
  if (!caller.account.phoneEnabled || (caller.kind === 'key' && !caller.key.phone))
    throw new Problem('capability_not_enabled');
}

/** The mark of an operator is read again at every request, by key or signed in. */
export function requireOperator({ caller, session }: Exchange): void {
  if (session?.account.operator === true || (caller?.kind === 'key' && caller.account.operator)) return;
  throw new Problem('forbidden', {
    message:
      session === undefined
        ? 'This path takes keys of operator accounts only.'
        : 'These pages are for operator accounts.',
  });
}

/** A key gets the right to write evidence when it is made. A send-only key has it within its limits. */
export function requireEvidenceRight({ caller }: Exchange): void {
  if (caller?.kind === 'key' && (caller.key.sends !== undefined || caller.key.evidence !== undefined)) return;
  throw new Problem('forbidden', {
    message: 'This key may not write evidence: make one with --evidence, or with --send-only for a sensor.',
  });
}

/** Where the account demands it, only a session with a second factor passes. Keys cannot be made without it. */
export function requireSecondFactor({ session }: Exchange): void {
  if (session === undefined || !needsFactor(session)) return;
  throw new Problem('forbidden', {
    message: 'This needs a second factor: set one up in the profile.',
    extras: { next_step: 'set_up_second_factor' },
  });
}

export const needsFactor = ({ account, amr }: Pick<Session, 'account' | 'amr'>): boolean =>
  account.requireFactor === true && lacksFactor(amr);

/**
 * The holder of the session must have proved in the last 15 minutes who they are. The site's pages read
 * `next_step`, ask for the proof and send the request again.
 */
export function requireFresh({ session, at }: Exchange): void {
  if (session !== undefined && isFresh(session.authenticatedAt, at)) return;
  throw new Problem('forbidden', {
    message: 'Confirm that it is you: the sign-in of this session is older than 15 minutes.',
    extras: { next_step: 'confirm_identity' },
  });
}

/** Nothing can be looked up, and nothing is charged, until the first data is loaded. */
export function requireData(exchange: Exchange): void {
  if (exchange.view === undefined) exchange.fault ??= new Problem('not_ready');
}

/**
 * A compressed body is not unpacked here and would be read as broken text, line by line (RFC 9110, 15.5.16).
 */
export function refuseEncoded(coding: string | undefined, takesGzip: boolean): void {
  const name = coding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || (takesGzip && name === 'gzip')) return;
  throw new Problem('unsupported_media_type', {
    message: takesGzip
      ? 'Send the body as it is, or with Content-Encoding: gzip.'
      : 'Send the body as it is, without a Content-Encoding.',
  });
}
