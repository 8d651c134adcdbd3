import { Problem } from '../../../service/problem.ts';
import { isSameSite } from '../../console/session/same-site.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/**
 * Browsers ask before a page sends JSON to another site, and are not answered here; text they send at once (Fetch, "CORS-safelisted request-header"). The page
 * could not read the answer, but a thousand look-ups a request would be gone from its visitor's allowance. A refusal counts once in the minute, as any does.
 * @throws Problem forbidden
 */
export function refuseForeignText({ request: { headers } }: Exchange, { baseUrl }: HttpServices): void {
  if (JSON_TYPE.test(headers['content-type'] ?? '') || isSameSite(headers, baseUrl)) return;
  throw new Problem('forbidden', { message: 'Pages of other sites send batches as application/json.' });
}

const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/i;
