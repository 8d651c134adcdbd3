import { isPublicHost } from './is-public-host.ts';

/** Returns whether sign-in under this base URL travels unencrypted over foreign networks. */
export function isPublicHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isPublicHost(hostname);
}
