import { parseAnyAddress } from '../ip/parse-address.ts';

export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export interface NamedBy {
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
