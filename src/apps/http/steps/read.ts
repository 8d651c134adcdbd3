import { queryFields, queryValue } from '../../../core/caller/query.ts';
import { parseRfc3339 } from '../../../core/evidence/parse-rfc3339.ts';
import { readNetworkName } from '../../../core/ip/network-name.ts';
import { parseAddress, parsePathAddress } from '../../../core/ip/parse-address.ts';
import { isReserved } from '../../../core/ip/special-purpose.ts';
import type { UnixMs } from '../../../core/units.ts';
import { isSandboxAddress } from '../../../service/lookup/sandbox.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices, LookupServices } from '../services.ts';
import { hasLentKey, isTrustedPeer } from './identify-caller.ts';

export function readAddress(exchange: Exchange): void {
  const parsed = parsePathAddress(exchange.segment);
  if (parsed.status === 'ok') exchange.address = parsed.address;
  else exchange.fault = new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
}

/** The framework has decoded {ip} once. A fault is reported after the minute was counted. */
export function readDecodedAddress(exchange: Exchange): void {
  readAddressText(exchange, exchange.segment);
}

function readAddressText(exchange: Exchange, text: string): void {
  const parsed = parseAddress(text);
  if (parsed.status === 'ok') exchange.address = parsed.address;
  else exchange.fault = new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
}

/**
 * GET /v1/decide is asked about `ip`, or about the client, which may be on a network of its own. A client
 * without an address that can be read has no verdict.
 */
export function readDecided(exchange: Exchange, services: HttpServices): void {
  const { query, client, headers, request } = exchange;
  const asked = query === '' ? undefined : queryValue(query, 'ip');
  if (asked !== undefined) {
    readAddressText(exchange, asked);
    if (hasLentKey(exchange, services)) exchange.fault = new Problem('bad_request', { message: ABOUT_VISITORS });
    return;
  }
  const isTrusted = isTrustedPeer(request, services.trustedProxies);
  if (headers.forwardedFor !== undefined && !isTrusted)
    exchange.fault = new Problem('bad_request', {
      message: 'X-Forwarded-For is believed from PULSE_TRUSTED_PROXIES alone; name this proxy there, or send ip.',
    });
  else if (isTrusted ? !exchange.isClientNamed : isReserved(client!))
    exchange.fault = new Problem('not_ready', { message: 'The request names no client whose address can be read.' });
  else {
    exchange.address = client;
    if (isReserved(client!)) exchange.fault = new Problem('reserved_ip');
  }
}

const ABOUT_VISITORS = 'With the key that is lent to proxies, questions are about their own visitors alone.';

/** An ignored filter would make an answer that says too much. @throws Problem bad_request */
export function takeOnly({ query }: Pick<Exchange, 'query'>, ...known: readonly string[]): void {
  if (queryFields(query).every(([name]) => known.includes(name))) return;
  const names = known.length === 0 ? 'none' : known.join(', ');
  throw new Problem('bad_request', { message: `Parameters here: ${names}; another one was sent.` });
}

export const readNetwork = (exchange: Exchange): void => readNetworkText(exchange, exchange.segment);

export function readNetworkText(exchange: Exchange, text: string): void {
  const read = readNetworkName(text);
  if (typeof read === 'object') exchange.network = read;
  else
    exchange.fault = new Problem(read === 'reserved' ? 'reserved_ip' : 'invalid_ip', {
      ...(read === 'invalid' && { message: 'Name a prefix (/8 to /32, IPv6 /16 to /64) or an AS such as AS60729.' }),
    });
}

export function readCheckedAddress(exchange: Exchange): void {
  readAddressText(exchange, queryValue(exchange.query, 'ipAddress') ?? '');
}

export function readSandboxAddress(exchange: Exchange): void {
  const parsed = parseAddress(exchange.segment);
  if (parsed.status === 'invalid') exchange.fault = new Problem('invalid_ip');
  else if (isSandboxAddress(parsed.address)) exchange.address = parsed.address;
  else if (parsed.status === 'reserved') exchange.fault = new Problem('reserved_ip');
  else
    exchange.fault = new Problem('not_found', {
      message: 'The sandbox answers for documentation ranges only; GET /sandbox lists its addresses.',
    });
}

/** `at` sent twice is as malformed as no date at all. */
export function readMoment(exchange: Exchange): void {
  if (exchange.query === '' || exchange.fault !== undefined) return;
  const values = queryFields(exchange.query).filter(([name]) => name === 'at');
  if (values.length === 0) return;
  const moment = values.length === 1 ? parseRfc3339(values[0]![1]) : undefined;
  if (moment === undefined || moment > exchange.at) exchange.fault = new Problem('invalid_time');
  else exchange.moment = moment;
}

export interface TimeRange {
  readonly from: UnixMs | undefined;
  readonly to: UnixMs;
}

export const timeRangeOf = ({ query, at }: Pick<Exchange, 'query' | 'at'>): TimeRange =>
  readRange((name) => queryFields(query).flatMap(([key, value]) => (key === name ? [value] : [])), at);

/** The message of the table speaks of `at` in a query. */
export const badTime = (
  name: 'at' | 'from' | 'to' | 'since',
  how = '; in a query write a plus offset as %2B',
): Problem =>
  new Problem('invalid_time', { message: `${name} must be an RFC 3339 date-time that is not in the future${how}.` });

/** @param valuesOf texts given under a name @throws Problem invalid_time, bad_request */
export function readRange(valuesOf: (name: 'from' | 'to') => readonly string[], now: UnixMs, how?: string): TimeRange {
  const moment = (name: 'from' | 'to'): UnixMs | undefined => {
    const values = valuesOf(name);
    if (values.length === 0) return undefined;
    const read = values.length === 1 ? parseRfc3339(values[0]!) : undefined;
    if (read === undefined || read > now) throw badTime(name, how);
    return read;
  };
  const [from, to = now] = [moment('from'), moment('to')];
  if (from !== undefined && from > to) throw new Problem('bad_request', { message: 'from must not be later than to.' });
  return { from, to };
}

export function readTimeRange(exchange: Exchange): void {
  if (exchange.fault !== undefined) return;
  keepFault(exchange, () => {
    if (queryValue(exchange.query, 'at') !== undefined)
      throw new Problem('bad_request', { message: 'A timeline is asked with from and to, not with at.' });
    exchange.moment = timeRangeOf(exchange).from ?? exchange.at;
  });
}

/**
 * Where answers are for now alone, `at` is a mistake, not a wish to be ignored (decisions 4.3).
 */
export function refuseMoment(exchange: Exchange): void {
  if (exchange.query === '' || exchange.fault !== undefined || queryValue(exchange.query, 'at') === undefined) return;
  exchange.fault = new Problem('bad_request', {
    message: 'at belongs to GET /pulse/v1/ip/{ip}; this endpoint answers for now.',
  });
}

/**
 * A batch takes `at` in its body: one in the query would be ignored, and the answer would be of another
 * moment.
 */
export function refuseMomentInQuery(exchange: Exchange): void {
  if (exchange.query === '' || queryValue(exchange.query, 'at') === undefined) return;
  exchange.fault = new Problem('bad_request', {
    message: 'Send at in the body of POST /pulse/v1/ip/batch, next to "ips".',
  });
}

/**
 * Refusals of history about `at` come before the charge: they are free, and come before a used-up day
 * (decisions 4.9).
 */
export function checkHistory(exchange: Exchange, services: LookupServices): void | Promise<void> {
  if (exchange.moment !== undefined && exchange.fault === undefined) return askHistory(exchange, services);
}

async function askHistory(exchange: Exchange, { pulse }: LookupServices): Promise<void> {
  const { address, at, caller, moment, view } = exchange;
  if (
    moment === undefined ||
    address === undefined ||
    view === undefined ||
    (caller?.kind !== 'key' && caller?.kind !== 'user')
  )
    return;
  try {
    await pulse.checkMoment({ view, address, account: caller.account, now: at, moment });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}

/**
 * Keeps a refusal of the input on the exchange, which the charge reports once the minute was counted.
 * Anything else is thrown on.
 */
export function keepFault(exchange: Exchange, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}
