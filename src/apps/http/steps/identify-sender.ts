import { sentKey } from '../../../core/caller/sent-key.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyByKey } from './identify-caller.ts';

/** Who sends evidence: by key alone, and a send-only key will do. @throws Problem key_required, invalid_key, revoked_key, key_expired */
export function identifySender(exchange: Exchange, services: HttpServices): void | Promise<void> {
  const sent = sentKey(exchange.headers.apiKey, exchange.headers.authorization);
  if (sent.status === 'none') throw new Problem('key_required');
  return identifyByKey(exchange, services, sent, true);
}
