import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, Caller } from '../../../core/caller/caller.ts';
import { countedClient, forwardedClient } from '../../../core/caller/client-address.ts';
import { isKeyElsewhere, type SentKey, sentKey } from '../../../core/caller/sent-key.ts';
import type { Address } from '../../../core/ip/address.ts';
import { parseAnyAddress } from '../../../core/ip/parse-address.ts';
import { contains } from '../../../core/ip/prefix.ts';
import { clientCounters, LIMITS } from '../../../core/limits/limits.ts';
import { HOUR_MS, MINUTE_MS } from '../../../core/units.ts';
import { admit } from '../../../service/limiter.ts';
import type { KeyVerdict } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import { peerAddress } from '../connection/app-pipe.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** The parsed peer address stays on the socket, because it cannot change while the connection lives. */
interface Peer {
  readonly address: Address;
  readonly anonymous: Caller;
}

const PEER = Symbol('peer');

/** Identifies a key, even where none is needed, else an assistant, a visitor or a client. */
export function identifyCaller(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const { headers } = exchange;
  const sent = sentKeyOf(exchange);
  if (sent.status !== 'none') return identifyByKey(exchange, services, sent);
  const caller = identifyWithoutKey(exchange, services);
  if (caller.kind === 'anonymous' && mayBeSession(headers.cookie))
    return identifyVisitor(exchange, caller.client, services);
}

/** Returns the key of a request. A key in a header that is not for keys is misplaced, never silently ignored. */
export function sentKeyOf({ headers, request }: Exchange): SentKey {
  const sent = sentKey(headers.apiKey, headers.authorization);
  return sent.status === 'none' && isKeyElsewhere(request.headers) ? { status: 'misplaced' } : sent;
}

/**
 * Identifies the caller of GET /v1/decide. Proxies copy the headers of their visitors, whose credentials must
 * never choose the policy. So a proxy with a key overwrites X-API-Key, beside which Authorization is not
 * read, and a proxy that uses the operator's key has that one, whatever was sent.
 */
export function identifyDecider(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const { headers } = exchange;
  const sent = hasLentKey(exchange, services)
    ? ({ status: 'sent', secret: services.proxyKey! } as const)
    : sentKey(headers.apiKey, headers.apiKey?.trim() ? undefined : headers.authorization);
  if (sent.status === 'none') throw new Problem('key_required');
  return identifyByKey(exchange, services, sent);
}

/** Returns true for a proxy that asks with the operator's key (`PULSE_DECIDE_KEY_FILE`). */
export const hasLentKey = (
  { request }: Exchange,
  { proxyKey, trustedProxies }: Pick<HttpServices, 'proxyKey' | 'trustedProxies'>,
): boolean => proxyKey !== undefined && isTrustedPeer(request, trustedProxies);

const VISITOR_SHARE = 5;

/**
 * Counts the visitor before the lent key, so that one stranger does not use it up for all. A visitor who is
 * refused pays for that.
 * @throws Problem rate_limited
 */
export function limitVisitor(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const { caller, client, at } = exchange;
  if (caller?.kind !== 'key' || !hasLentKey(exchange, services)) return;
  const { perMin, perDay } = caller.account;
  const minute = { most: Math.ceil(perMin / VISITOR_SHARE), windowMs: MINUTE_MS };
  const hour = { most: Math.ceil(perDay / 48), windowMs: HOUR_MS };
  exchange.caller = identifyClient(exchange, services);
  const waiting = admit(
    services.limiter,
    [...clientCounters('decide', minute, client!), ...clientCounters('decide hour', hour, client!)],
    at,
  );
  const admitted = (): void => {
    exchange.caller = caller;
  };
  return waiting === undefined ? admitted() : waiting.then(admitted);
}

export function isTrustedPeer(request: IncomingMessage, trustedProxies: HttpServices['trustedProxies']): boolean {
  const { address } = peerOf(request);
  return trustedProxies.some((prefix) => contains(prefix, address));
}

const MISPLACED_KEY = 'Send the key as X-API-Key: pk_… or as Authorization: Bearer pk_…, in no other header or form.';
const isKnownKey = ({ status }: KeyVerdict): boolean => status !== 'unknown';

/** A key with one purpose is refused, except where a route asks for it. */
export function identifyByKey(
  exchange: Exchange,
  services: HttpServices,
  sent: Exclude<SentKey, { readonly status: 'none' }>,
  purpose?: 'sends' | 'bouncer',
): void | Promise<void> {
  const { client } = identifyClient(exchange, services);
  if (sent.status === 'differs')
    throw new Problem('invalid_key', { message: 'X-API-Key and Authorization carry different keys.' });
  if (sent.status === 'misplaced') throw new Problem('invalid_key', { message: MISPLACED_KEY });
  const { secret } = sent;
  const { keys } = services;
  const found =
    keys.remembered(secret, exchange.at) ??
    checkCredentials(exchange, services, {
      kind: 'unknownKey',
      ask: () => keys.find(secret, exchange.at),
      isKnown: isKnownKey,
    });
  if (found instanceof Promise) return found.then((verdict) => acceptKey(exchange, client, verdict, purpose));
  acceptKey(exchange, client, found, purpose);
}

export function identifyWithoutKey(exchange: Exchange, services: HttpServices): Caller {
  const anonymous = identifyClient(exchange, services);
  const { client, headers } = exchange;
  const family =
    headers.userAgent === undefined || client === undefined
      ? undefined
      : services.assistants?.familyOf(headers.userAgent, client);
  exchange.caller =
    family === undefined ? anonymous : { kind: 'assistant', client: anonymous.client, assistantFamily: family };
  return exchange.caller;
}

export function identifyClient(exchange: Exchange, services: Pick<HttpServices, 'trustedProxies'>): Caller {
  const peer = peerOf(exchange.request);
  exchange.client = peer.address;
  const { forwardedFor } = exchange.headers;
  if (forwardedFor === undefined || services.trustedProxies.length === 0) return peer.anonymous;
  const { address, isNamed } = forwardedClient(peer.address, forwardedFor, services.trustedProxies);
  exchange.client = address;
  exchange.isClientNamed = isNamed;
  return exchange.client === peer.address
    ? peer.anonymous
    : { kind: 'anonymous', client: countedClient(exchange.client) };
}

async function identifyVisitor(exchange: Exchange, client: string, services: HttpServices): Promise<void> {
  const account = await visitorAccount(exchange, services);
  if (account !== undefined) exchange.caller = { kind: 'user', client, account };
}

function acceptKey(exchange: Exchange, client: string, verdict: KeyVerdict, purpose?: 'sends' | 'bouncer'): void {
  switch (verdict.status) {
    case 'ok':
      if (verdict.account.disabled) throw new Problem('revoked_key');
      if (verdict.key.sends !== undefined && purpose !== 'sends')
        throw new Problem('forbidden', { message: 'This key may send evidence and do nothing else.' });
      if (verdict.key.bouncer !== undefined && purpose !== 'bouncer')
        throw new Problem('forbidden', { message: 'The key of a bouncer fetches decisions and does nothing else.' });
      exchange.caller = { kind: 'key', client, account: verdict.account, key: verdict.key };
      return;
    case 'revoked':
      throw new Problem('revoked_key');
    case 'expired':
      throw new Problem('key_expired');
    case 'unknown':
      throw new Problem('invalid_key');
  }
}

/** A peer without an address has left already; its answer reaches no client. */
const GONE: Address = { family: 6, w0: 0, w1: 0, w2: 0, w3: 0 };

function peerOf(request: IncomingMessage): Peer {
  const socket: Socket & { [PEER]?: Peer } = request.socket;
  const known = socket[PEER];
  if (known !== undefined) return known;
  const address = parseAnyAddress(peerAddress(request)) ?? GONE;
  const peer: Peer = { address, anonymous: { kind: 'anonymous', client: countedClient(address) } };
  // A connection of the pipe brings requests of many peers, and has no address itself.
  if (socket.remoteAddress !== undefined) socket[PEER] = peer;
  return peer;
}

/** A throw proves nothing about the credential. */
interface Question<Found> {
  readonly kind: 'unknownKey' | 'unknownToken';
  readonly ask: () => Found | Promise<Found>;
  readonly isKnown: (found: Found) => boolean;
}

/**
 * Asks the store about a key, token or session. The client pays before the question and gets it back when the
 * credential was known or the store could not answer. So a stranger with invented credentials reaches the
 * store a bounded number of times, and good ones as often as they come.
 * @throws Problem rate_limited, and errors of `ask`
 */
export function checkCredentials<Found>(
  exchange: Exchange,
  { limiter }: Pick<HttpServices, 'limiter'>,
  question: Question<Found>,
): Found | Promise<Found> {
  const counters = clientCounters(question.kind, LIMITS[question.kind], exchange.client!);
  const giveBack = (): void => void limiter.giveBack(counters, exchange.at);
  const settle = (found: Found): Found => {
    if (question.isKnown(found)) giveBack();
    return found;
  };
  const failed = (error: unknown): never => {
    giveBack();
    throw error;
  };
  const asked = (): Found | Promise<Found> => {
    try {
      const found = question.ask();
      return found instanceof Promise ? found.then(settle, failed) : settle(found);
    } catch (error) {
      return failed(error);
    }
  };
  const waiting = admit(limiter, counters, exchange.at);
  return waiting === undefined ? asked() : waiting.then(asked);
}

/** Only a session cookie of the form we set costs a question to the store. */
const SESSION = /(?:^|;\s*)(?:__Host-)?pulse_session=[\w-]{43}(?:;|\s*$)/;

export const mayBeSession = (cookie: string | undefined): cookie is string =>
  cookie !== undefined && SESSION.test(cookie);

export async function visitorAccount(
  exchange: Exchange,
  services: Pick<HttpServices, 'limiter' | 'sessions'>,
): Promise<Account | undefined> {
  const { cookie } = exchange.headers;
  const { sessions } = services;
  if (sessions === undefined || !mayBeSession(cookie)) return undefined;
  try {
    const account = await checkCredentials(exchange, services, {
      kind: 'unknownToken',
      ask: () => sessions.accountOf(cookie, exchange.at),
      isKnown: (found: Account | undefined) => found !== undefined,
    });
    return account?.disabled === false ? account : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return undefined;
    throw error;
  }
}
