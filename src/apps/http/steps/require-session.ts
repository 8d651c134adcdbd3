import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** A browser that is signed in; a request that changes something carries the session's token in X-CSRF-Token. */
export async function requireSession(exchange: Exchange, { sessions }: HttpServices): Promise<void> {
  if (sessions === undefined) throw new Problem('sign_in_required');
  exchange.session = await sessions.require(exchange.request, exchange.at);
}
