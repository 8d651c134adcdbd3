import type { Account } from '../../../core/caller/caller.ts';
import { basicPassword, sentKey } from '../../../core/caller/sent-key.ts';
import { type Beacon, beaconFault } from '../../../core/collection/beacon.ts';
import { LIMITS, subjectCounter } from '../../../core/limits/limits.ts';
import { admit } from '../../../service/limiter.ts';
import { asProblem, Problem } from '../../../service/problem.ts';
import type { Session } from '../../../service/sign-in/session.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import {
  checkCredentials,
  identifyByKey,
  identifyCaller,
  identifyClient,
  identifyWithoutKey,
  mayBeSession,
  sentKeyOf,
} from './identify-caller.ts';

/** Access tokens never start with this, so the two cannot be confused. */
const KEY_PREFIX = 'pk_';

/**
 * Identifies the account at an account endpoint of MCP, by key or by access token. While the store cannot be
 * asked, the fault is kept and the caller is counted as the anonymous client: a session continues, and its
 * tool calls are asked to come back.
 * @throws Problem key_required without a credential; invalid_key, revoked_key, key_expired with a bad one
 */
export async function identifyAccount(exchange: Exchange, services: HttpServices): Promise<void> {
  try {
    await identifyOwner(exchange, services);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code !== 'not_ready') throw error;
    exchange.credentialFault = problem;
    identifyWithoutKey(exchange, services);
  }
}

async function identifyOwner(exchange: Exchange, services: HttpServices): Promise<void> {
  const sent = sentKeyOf(exchange);
  if (sent.status === 'none')
    throw new Problem('key_required', { message: 'Sign in with OAuth, or send an API key in the X-API-Key header.' });
  if (sent.status !== 'sent' || !isToken(sent.secret, exchange)) return identifyByKey(exchange, services, sent);
  const { client } = identifyClient(exchange, services);
  const account = await checkCredentials(exchange, services, {
    kind: 'unknownToken',
    ask: () => services.sessions?.accountOfToken(sent.secret, exchange.at),
    isKnown: (found: Account | undefined) => found !== undefined,
  });
  if (account === undefined) throw new Problem('invalid_key', { message: 'The access token or key is not valid.' });
  exchange.caller = { kind: 'user', client, account };
}

const isToken = (secret: string, { headers: { authorization } }: Exchange): boolean =>
  !secret.startsWith(KEY_PREFIX) && authorization !== undefined;

/**
 * Identifies the caller at /mcp: an account by key or by the access token of an app, or a client without a
 * credential; never a browser's session. A bad key is kept, and the caller is counted as the anonymous client:
 * a 401 would make clients start to sign in. For a dead token it does what it should: they refresh it.
 * @throws Problem invalid_key for a token
 */
export async function identifyOpenCaller(exchange: Exchange, services: HttpServices): Promise<void> {
  const sent = sentKeyOf(exchange);
  try {
    if (sent.status !== 'none') return await identifyOwner(exchange, services);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401 && sent.status === 'sent' && isToken(sent.secret, exchange)) throw error;
    exchange.credentialFault = error;
  }
  identifyWithoutKey(exchange, services);
}

/** Works as `identifyCaller`, except that a missing or invalid key is key_required (interface, GET /v1/me). */
export function identifyKeyOwner(exchange: Exchange, services: HttpServices): void | Promise<void> {
  try {
    const waiting = identifyCaller(exchange, services);
    if (waiting !== undefined) return waiting.catch(asRequired);
  } catch (error) {
    asRequired(error);
  }
}

function asRequired(error: unknown): never {
  if (error instanceof Problem && error.code === 'invalid_key') throw new Problem('key_required', { cause: error });
  throw error;
}

/**
 * Identifies the reader of a file of verdicts by key; programs that only know HTTP Basic send it as the
 * password.
 * @throws Problem key_required, invalid_key, revoked_key, key_expired
 */
export function identifyFileReader(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const { apiKey, authorization } = exchange.headers;
  const password = basicPassword(authorization);
  const sent = password === '' ? sentKey(apiKey, authorization) : sentKey(apiKey ?? password, undefined);
  if (sent.status === 'none') throw new Problem('key_required');
  return identifyByKey(exchange, services, sent);
}

export async function limitLists({ caller, at }: Exchange, { limiter }: HttpServices): Promise<void> {
  if (caller?.kind === 'key') await admit(limiter, [subjectCounter('list', LIMITS.list, caller.account.id)], at);
}

/**
 * Identifies a sender of evidence by key alone, even a send-only one. @throws Problem key_required,
 * invalid_key, revoked_key, key_expired
 */
export function identifySender(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const sent = sentKeyOf(exchange);
  if (sent.status === 'none') throw new Problem('key_required');
  return identifyByKey(exchange, services, sent, 'sends');
}

/** AbuseIPDB's clients send the key in the header `Key`. @throws Problem as `identifyByKey`, key_required */
const identifyByNamedHeader =
  (purpose?: 'sends') =>
  (exchange: Exchange, services: HttpServices): void | Promise<void> => {
    const { apiKey, authorization } = exchange.headers;
    const sent = sentKey(apiKey ?? exchange.request.headers['key']?.toString(), authorization);
    if (sent.status === 'none') throw new Problem('key_required', { message: 'Send the key in the header Key.' });
    return identifyByKey(exchange, services, sent, purpose);
  };
export const identifyReportSender = identifyByNamedHeader('sends');
export const identifyReportReader = identifyByNamedHeader();

/**
 * Clients of the bouncer protocol know only 403 for a key that is missing or bad.
 * @throws Problem forbidden; rate_limited for more than a call a second
 */
export async function identifyBouncer(exchange: Exchange, services: HttpServices): Promise<void> {
  const { apiKey, authorization } = exchange.headers;
  const sent = sentKey(apiKey, apiKey?.trim() ? undefined : authorization);
  if (sent.status === 'none') throw new Problem('forbidden', { message: 'Send the key of a bouncer in X-Api-Key.' });
  try {
    await identifyByKey(exchange, services, sent, 'bouncer');
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    throw new Problem('forbidden', { message: error.message });
  }
  const { caller } = exchange;
  if (caller?.kind !== 'key' || caller.key.bouncer === undefined)
    throw new Problem('forbidden', { message: 'This key is not a bouncer’s: pulse key create --bouncer makes one.' });
  await admit(services.limiter, [subjectCounter('bouncer', LIMITS.bouncer, caller.key.id)], exchange.at);
}

const FAULTS = { revoked: 'revoked_key', expired: 'key_expired' } as const;

/**
 * Identifies a beacon by its token, which is looked up in the store each time, so that it works and ends at
 * once on every thread. A client with unknown tokens is stopped before the store is asked.
 * @throws Problem key_required, invalid_key, revoked_key, key_expired; rate_limited
 */
export async function identifyBeacon(exchange: Exchange, services: HttpServices): Promise<void> {
  const sent = sentKey(exchange.headers.apiKey, exchange.headers.authorization);
  if (sent.status === 'none')
    throw new Problem('key_required', { message: 'Send the token of a beacon: Authorization: Bearer pb_…' });
  if (sent.status === 'differs')
    throw new Problem('invalid_key', { message: 'X-API-Key and Authorization carry different tokens.' });
  const beacon = await checkCredentials(exchange, services, {
    kind: 'unknownKey',
    ask: () => (sent.status === 'sent' ? services.beacons?.find(sent.secret) : undefined),
    isKnown: (found: Beacon | undefined) => found !== undefined,
  });
  if (beacon === undefined) throw new Problem('invalid_key', { message: 'The token is not that of a beacon.' });
  const fault = beaconFault(beacon, exchange.at);
  if (fault !== undefined)
    throw new Problem(FAULTS[fault], {
      message: `The token of the beacon ${fault === 'revoked' ? 'was revoked' : 'has expired'}.`,
    });
  await admit(services.limiter, [subjectCounter('beacon', LIMITS.beaconMinute, beacon.id)], exchange.at);
  exchange.beacon = beacon;
}

/** A request that changes something carries the session's token in X-CSRF-Token. */
export async function requireSession(exchange: Exchange, services: HttpServices): Promise<void> {
  const { sessions } = services;
  if (sessions === undefined || !mayBeSession(exchange.headers.cookie)) throw new Problem('sign_in_required');
  identifyClient(exchange, services);
  const found = await checkCredentials(exchange, services, {
    kind: 'unknownToken',
    ask: () => sessions.require(exchange.request, exchange.at).catch(unknownSession),
    isKnown: (session: Session | undefined) => session !== undefined,
  });
  if (found === undefined) throw new Problem('sign_in_required');
  exchange.session = found;
}

function unknownSession(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'sign_in_required') throw error;
}

/**
 * Makes the signed-in account the caller, so that charges and answers are those of its keys (one allowance,
 * interface general rule 5).
 */
export function setAccountCaller(exchange: Exchange, services: HttpServices): void {
  if (exchange.session === undefined) throw new Problem('sign_in_required');
  const { client } = identifyClient(exchange, services);
  exchange.caller = { kind: 'user', client, account: exchange.session.account };
}
