import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { AddressSet } from '../../core/ip/address-set.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { leadsInside } from '../../core/ip/special-purpose.ts';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const resolveHost: Resolve = (host) => lookup(host, { all: true });

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
