import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Pages of other sites get no answer from the MCP endpoints (DNS rebinding, MCP 2025-11-25 "Security"). */
export function requireOwnOrigin({ request }: Exchange, { baseUrl }: HttpServices): void {
  if (isOwnOrigin(request.headers.origin, baseUrl)) return;
  throw new Problem('forbidden', { message: 'Requests from pages of other sites are not answered.' });
}

/**
 * Whether an Origin is ours. None: not a browser, or a same-origin read. A service on loopback is itself under each of the loopback names, with its own
 * port. The Host header is never asked: a rebound name would agree with itself.
 */
function isOwnOrigin(origin: string | undefined, baseUrl: string): boolean {
  if (origin === undefined) return true;
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false;
  return url.protocol === base.protocol && url.port === base.port && LOOPBACK.has(url.hostname) && LOOPBACK.has(base.hostname);
}
