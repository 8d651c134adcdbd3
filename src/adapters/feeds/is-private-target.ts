import { lookup } from 'node:dns/promises';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';

/** Addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveHost: Resolve = async (host) =>
  (await lookup(host.replace(/^\[|\]$/g, ''), { all: true })).map(({ address }) => address);

/** Whether a redirect leads to another host at a private address. A private mirror may redirect to itself, by the name or address it was asked under. */
export async function isPrivateTarget(from: URL, to: URL, resolve: Resolve = resolveHost): Promise<boolean> {
  return from.host !== to.host && (await isPrivate(to, resolve));
}

async function isPrivate({ hostname }: URL, resolve: Resolve): Promise<boolean> {
  const prefixes = (await resolve(hostname)).map(parsePrefix);
  return prefixes.some((prefix) => prefix === undefined || isReserved(prefix));
}
