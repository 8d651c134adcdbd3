import { LOOPBACK_NAMES } from './is-own-origin.ts';

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
