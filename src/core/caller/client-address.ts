import type { Address, Prefix } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { contains, parsePrefix, prefixOf } from '../ip/prefix.ts';

/** Only the nearest hops can matter; hops further left are the sender's own invention. */
const MAX_HOPS = 32;

/**
 * Whose request this is (decisions 5.6): the peer of the socket or, when that is a configured proxy, the right-most hop of X-Forwarded-For that is not one.
 * Empty members of the list are passed over (RFC 9110 section 5.6.1.2). A hop that is not an address ends the search at the proxy that passed it on: nothing is guessed.
 * @param forwardedFor the header's lines joined with commas, in the order they came; undefined when there was none
 */
export function clientAddress(peer: Address, forwardedFor: string | undefined, trusted: readonly Prefix[]): Address {
  if (forwardedFor === undefined || !isTrusted(peer, trusted)) return peer;
  let client = peer;
  let end = forwardedFor.length;
  for (let hops = 0; hops < MAX_HOPS && end >= 0; hops++) {
    const comma = forwardedFor.lastIndexOf(',', end - 1);
    const member = forwardedFor.slice(comma + 1, end).trim();
    end = comma;
    if (member === '') continue;
    const hop = parseHop(member);
    if (hop === undefined) return client;
    client = hop;
    if (!isTrusted(hop, trusted)) return client;
  }
  return client;
}

const isTrusted = (address: Address, trusted: readonly Prefix[]): boolean => {
  for (const prefix of trusted) if (contains(prefix, address)) return true;
  return false;
};

/** Some proxies write a port behind the address, 192.0.2.1:443 or [2001:db8::1]:443, and behind a link-local one the zone: fe80::1%eth0. */
function parseHop(text: string): Address | undefined {
  const bracketed = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return parsePeer(bracketed[1]!);
  const withPort = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text);
  return parsePeer(withPort ? withPort[1]! : text);
}

/** Reads an address with or without a zone id (RFC 4007), which says nothing to another machine. */
const parsePeer = (text: string): Address | undefined => parseAnyAddress(text.replace(/(?<=:[^%]*)%[\w.~-]+$/, ''));

/** Text under which a client is counted: an IPv4 address as it is, an IPv6 address as its /64, for one subscriber has at least that. */
export function countedClient(address: Address): string {
  return address.family === 4 ? formatAddress(address) : `${formatAddress(prefixOf(address, 64))}/64`;
}

/** The /48 that an IPv6 client is counted under as well; undefined for an IPv4 client. */
export function widerClient(client: string): string | undefined {
  const prefix = client.endsWith('/64') ? parsePrefix(client) : undefined;
  return prefix && `${formatAddress(prefixOf(prefix, 48))}/48`;
}
