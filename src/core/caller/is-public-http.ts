import { isPublicHost } from './is-public-host.ts';

export function isPublicHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isPublicHost(hostname);
}
