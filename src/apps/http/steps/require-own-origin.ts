import { isOwnOrigin } from '../../../core/caller/is-own-origin.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** Pages of other sites get no answer from the MCP endpoints (DNS rebinding, MCP 2025-11-25 "Security"). Without an Origin it is not a browser, or a same-origin read. */
export function requireOwnOrigin({ request: { headers } }: Exchange, { baseUrl }: HttpServices): void {
  if (headers.origin === undefined || isOwnOrigin({ origin: headers.origin, host: headers.host }, baseUrl)) return;
  throw new Problem('forbidden', { message: 'Requests from pages of other sites are not answered.' });
}
