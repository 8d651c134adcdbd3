import { sentKey } from '../../../core/caller/sent-key.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyByKey, identifyWithoutKey } from './identify-caller.ts';

/**
 * Who asks at /mcp: as at GET /v1/ip/{ip}, but agents sign in with keys, never with a browser's session. A bad credential is kept, and the caller is counted
 * as the anonymous client it came from: a 401 here would make clients start to sign in.
 */
export async function identifyOpenCaller(exchange: Exchange, services: HttpServices): Promise<void> {
  const sent = sentKey(exchange.headers.apiKey, exchange.headers.authorization);
  try {
    if (sent.status !== 'none') return await identifyByKey(exchange, services, sent);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.credentialFault = error;
  }
  identifyWithoutKey(exchange, services);
}
