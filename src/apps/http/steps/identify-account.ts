import type { Account } from '../../../core/caller/caller.ts';
import { sentKey } from '../../../core/caller/sent-key.ts';
import { asProblem, Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyByKey, identifyClient, identifyWithoutKey } from './identify-caller.ts';
import { judgeCredential } from './judge-credential.ts';

/** Keys start with this; access tokens never do, so the two cannot be confused. */
const KEY_PREFIX = 'pk_';

/**
 * Who asks at an account endpoint of MCP: an account, by key or by access token. While the store that knows it cannot be asked, that is the fault kept, and
 * the caller is counted as the anonymous client it came from: a session goes on, and its tool calls are asked to come back.
 * @throws Problem key_required without a credential; invalid_key, revoked_key, key_expired with a bad one
 */
export async function identifyAccount(exchange: Exchange, services: HttpServices): Promise<void> {
  try {
    await identifyOwner(exchange, services);
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code !== 'not_ready') throw error;
    exchange.credentialFault = problem;
    identifyWithoutKey(exchange, services);
  }
}

async function identifyOwner(exchange: Exchange, services: HttpServices): Promise<void> {
  const { apiKey, authorization } = exchange.headers;
  const sent = sentKey(apiKey, authorization);
  if (sent.status === 'none')
    throw new Problem('key_required', { message: 'Sign in with OAuth, or send an API key in the X-API-Key header.' });
  if (sent.status === 'differs' || sent.secret.startsWith(KEY_PREFIX) || authorization === undefined)
    return identifyByKey(exchange, services, sent);
  const { client } = identifyClient(exchange, services);
  const account = await judgeCredential(exchange, services, {
    kind: 'unknownToken',
    ask: () => services.sessions?.accountOfToken(sent.secret, exchange.at),
    isKnown: (found: Account | undefined) => found !== undefined,
  });
  if (account === undefined) throw new Problem('invalid_key', { message: 'The access token or key is not valid.' });
  exchange.caller = { kind: 'user', client, account };
}
