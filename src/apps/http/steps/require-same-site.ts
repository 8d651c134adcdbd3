import { Problem } from '../../../service/problem.ts';
import { isSameSite } from '../../console/session/same-site.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** A console request that changes something comes from this site's own pages, signed in or not: sign-in itself could be forged. */
export function requireSameSite({ request }: Exchange, { baseUrl }: HttpServices): void {
  if (READS.has(request.method) || isSameSite(request.headers, baseUrl)) return;
  throw new Problem('forbidden', { message: 'The request does not come from this site.' });
}
