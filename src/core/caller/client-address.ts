import type { Address, Prefix } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { contains, parsePrefix, prefixOf } from '../ip/prefix.ts';
import { findSpecialPurpose, isReserved } from '../ip/special-purpose.ts';

/** Only the nearest hops matter; the sender can invent those further left. */
const MAX_HOPS = 32;

/**
 * Returns the client of a request (decisions 5.6): the socket's peer or, if that is a configured proxy, the
 * right-most hop of X-Forwarded-For that is not one.
 * Empty list members are skipped (RFC 9110 section 5.6.1.2). A hop that is not an address ends the search at
 * the proxy that sent it.
 * @param forwardedFor lines of the header, joined with commas in their order
 */
export function clientAddress(peer: Address, forwardedFor: string | undefined, trusted: readonly Prefix[]): Address {
  return forwardedClient(peer, forwardedFor, trusted).address;
}

interface ForwardedClient {
  readonly address: Address;
  /** False where a configured proxy names no client, or one that cannot be read. */
  readonly isNamed: boolean;
}

export function forwardedClient(
  peer: Address,
  forwardedFor: string | undefined,
  trusted: readonly Prefix[],
): ForwardedClient {
  if (!isTrusted(peer, trusted)) return { address: peer, isNamed: true };
  if (forwardedFor === undefined) return { address: peer, isNamed: false };
  let client = peer;
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops++) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const member = forwardedFor.slice(comma + 1, end).trim();
    end = comma;
    if (member === '') continue;
    const hop = parseHop(member);
    if (hop === undefined) return { address: client, isNamed: false };
    client = hop;
    if (!isTrusted(hop, trusted)) break;
  }
  return { address: client, isNamed: client !== peer };
}

const isTrusted = (address: Address, trusted: readonly Prefix[]): boolean => {
  for (const prefix of trusted) if (contains(prefix, address)) return true;
  return false;
};

/**
 * Accepts a port, as some proxies write it (192.0.2.1:443, [2001:db8::1]:443), and a zone after a link-local
 * address (fe80::1%eth0).
 */
function parseHop(text: string): Address | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return parsePeer(bracketed[1]!);
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text);
  return parsePeer(withPort ? withPort[1]! : text);
}

/** Ignores a zone id (RFC 4007), which has no meaning on another machine. */
const parsePeer = (text: string): Address | undefined => parseAnyAddress(text.replace(/(?<=:[^%]*)%[\w.~-]+$/, ''));

/**
 * Returns the text under which a client is counted. IPv6 is counted by /64, because one subscriber has at
 * least that.
 */
export function countedClient(address: Address): string {
  return address.family === 4 ? formatAddress(address) : `${formatAddress(prefixOf(address, 64))}/64`;
}

/** Returns the /48 under which an IPv6 client is counted too; undefined for IPv4. */
export function clientPrefix(client: string): string | undefined {
  const prefix = client.endsWith('/64') ? parsePrefix(client) : undefined;
  return prefix && `${formatAddress(prefixOf(prefix, 48))}/48`;
}

/**
 * Returns the address of this service for a caller, who compares it with the one that was asked (RFC 9728 3.3).
 * A service on loopback answers under each loopback name, on any port that leads to it; otherwise no header
 * changes the address.
 * @param baseUrl public address without a trailing slash
 */
export function ownAddress(baseUrl: string): (host: string | undefined) => string {
  const { protocol, hostname } = new URL(baseUrl);
  if (!LOOPBACK_NAMES.has(hostname)) return () => baseUrl;
  return (host) => {
    const asked = host === undefined ? null : URL.parse(`${protocol}//${host}`);
    return asked !== null && LOOPBACK_NAMES.has(asked.hostname) && asked.host === host?.toLowerCase()
      ? asked.origin
      : baseUrl;
  };
}

export function sameAddresses(address: string): readonly string[] {
  const url = new URL(address);
  if (!LOOPBACK_NAMES.has(url.hostname)) return [address];
  return [...LOOPBACK_NAMES].map((name) => Object.assign(new URL(address), { hostname: name }).origin);
}

const WIDEST: Readonly<Record<4 | 6, number>> = { 4: 8, 6: 16 };

/**
 * Returns whether the proxies cover so much public space that strangers are likely to be in it, who could
 * then choose the address they are counted under.
 */
export const trustsTooMany = (proxies: readonly Prefix[]): boolean =>
  ([4, 6] as const).some((family) => {
    const open = proxies.filter((prefix) => prefix.family === family && !isPrivate(prefix));
    return open.reduce((sum, { bits }) => sum + 2 ** -bits, 0) > 2 ** -WIDEST[family];
  });

function isPrivate(prefix: Prefix): boolean {
  const block = findSpecialPurpose(prefix);
  return block !== undefined && !block.globallyReachable && block.bits <= prefix.bits;
}

/** These names are never resolved in public (RFC 6761, RFC 6762, RFC 8375; ICANN 2024 for `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|test|home\.arpa)$/;

/**
 * Returns whether a URL's host is reached over foreign networks, which excludes this machine and private
 * addresses or names.
 * An unspecified address means all addresses of the machine, so it is public. A name without a dot is
 * private.
 * @param hostname as in `URL.hostname`
 */
export function isPublicHost(hostname: string): boolean {
  const address = parseAnyAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (address === undefined) return hostname.includes('.') && !PRIVATE_NAMES.test(hostname);
  return !isReserved(address) || (address.w0 | address.w1 | address.w2 | address.w3) === 0;
}

export function isPublicHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isPublicHost(hostname);
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

interface NamedBy {
  readonly origin: string;
  readonly host: string | undefined;
}

/**
 * Returns whether an Origin belongs to this service: the origin of the base URL, or that of the Host header
 * if it is an address or localhost.
 * Equal names in both headers prove nothing: the owner of a name can resolve it to this machine (DNS
 * rebinding), and such pages send it in both.
 * A service on loopback is reachable under each of the loopback names, with its own port.
 * @param baseUrl public address without a trailing slash
 */
export function isOwnOrigin({ origin, host }: NamedBy, baseUrl: string): boolean {
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin || url.protocol !== base.protocol) return false;
  if (LOOPBACK_NAMES.has(url.hostname) && LOOPBACK_NAMES.has(base.hostname) && url.port === base.port) return true;
  return isFixedHost(url.hostname) && host !== undefined && URL.parse(`${base.protocol}//${host}`)?.host === url.host;
}

export function isOwnHost(host: string | undefined, names: readonly string[]): boolean {
  const hostname =
    host === undefined || !/^[^\s/?#@\\]+$/.test(host) ? undefined : URL.parse(`http://${host}`)?.hostname;
  return hostname !== undefined && (isFixedHost(hostname) || names.includes(hostname));
}

const isFixedHost = (hostname: string): boolean =>
  hostname === 'localhost' || parseAnyAddress(hostname.replace(/^\[(.*)\]$/, '$1')) !== undefined;
