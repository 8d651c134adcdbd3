import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '../../../core/caller/is-own-origin.ts';

/**
 * True when a request that changes something comes from this site's own pages, or from no browser at all. Browsers send Origin with every POST and
 * Sec-Fetch-Site where they know it; a page elsewhere can leave out neither. `null` (sandboxed frames, opaque redirects) is elsewhere.
 */
export function isSameSite(headers: IncomingHttpHeaders, baseUrl: string): boolean {
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
  const { origin, host } = headers;
  return origin === undefined || isOwnOrigin({ origin, host }, baseUrl);
}
