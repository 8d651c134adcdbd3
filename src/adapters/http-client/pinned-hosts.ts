import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressSet } from '../../core/ip/address-set.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { leadsInside } from '../../core/ip/special-purpose.ts';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const resolveHost: Resolve = (host) => lookup(host, { all: true });

let asked: Promise<unknown> = Promise.resolve();

/**
 * Resolves names that strangers chose. The resolver of the system holds one of two threads of the process until a
 * silent server is given up, so it is asked for one name at a time, which no server of names knows.
 */
export const resolveForStranger: Resolve = async (host) => {
  if (isIP(host) !== 0) return resolveHost(host);
  try {
    return (await askNameService()(host)).map((address) => ({ address, family: isIP(address) }));
  } catch {
    const found = asked.then(() => resolveHost(host));
    asked = found.catch(() => {});
    return found;
  }
};

export type AddressesOf = (host: string) => Promise<readonly string[]>;

/**
 * Servers of IPv4 alone are ordinary: a name has an address when either question is answered.
 * @param servers asked in place of those of the system
 */
export function askNameService(servers?: readonly string[]): AddressesOf {
  const resolver = new Resolver({ timeout: 5000, tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (found.length === 0) throw first.status === 'rejected' ? first.reason : new Error(`${host} has no address`);
    return found;
  };
}

/**
 * Hosts of one transfer. Each is resolved once, and connections go to the addresses that were judged: a name that
 * changes between the check and the connection, or between two redirects, leads nowhere else.
 */
export class PinnedHosts {
  readonly #resolve: Resolve;
  readonly #addresses = new Map<string, Promise<readonly LookupAddress[]>>();

  constructor(resolve: Resolve = resolveHost) {
    this.#resolve = resolve;
  }

  /**
   * Whether a redirect leads to another host at a private address. A private mirror may redirect to itself,
   * by the name or address it was asked under.
   */
  async isPrivateTarget(from: URL, to: URL): Promise<boolean> {
    return from.host !== to.host && (await this.isPrivate(to));
  }

  async isPrivate(url: URL, allowed?: Readonly<Record<4 | 6, AddressSet>>): Promise<boolean> {
    const prefixes = (await this.#addressesOf(url)).map(({ address }) => parsePrefix(address));
    return prefixes.some(
      (prefix) => prefix === undefined || (leadsInside(prefix) && allowed?.[prefix.family].overlaps(prefix) !== true),
    );
  }

  async lookupFor(url: URL): Promise<LookupFunction> {
    const addresses = await this.#addressesOf(url);
    return (_host, { all }, answer) => {
      const [first] = addresses;
      if (all === true) answer(null, [...addresses]);
      else answer(null, first!.address, first!.family);
    };
  }

  #addressesOf({ hostname }: URL): Promise<readonly LookupAddress[]> {
    const host = hostname.replace(/^\[|\]$/g, '');
    let addresses = this.#addresses.get(host);
    if (addresses === undefined) {
      addresses = this.#resolve(host);
      this.#addresses.set(host, addresses);
    }
    return addresses;
  }
}
