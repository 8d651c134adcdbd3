import type { Address, Prefix } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { contains, parsePrefix, prefixOf } from '../ip/prefix.ts';

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

export interface ForwardedClient {
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
