import { sentKey } from '../../core/caller/sent-key.ts';
import type { AuthorisedApps } from '../../service/authorised-apps.ts';
import { asProblem, Problem } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpServices } from '../http/services.ts';
import { identifyCaller } from '../http/steps/identify-caller.ts';

/** Keys start with this; access tokens never do, so the two cannot be confused. */
const KEY_PREFIX = 'pk_';

/** Who asks at /mcp: as at GET /v1/ip/{ip}. A bad credential is returned, and the caller is then counted as the anonymous client it came from. */
export async function identifyOpenCaller(exchange: Exchange, services: HttpServices): Promise<Problem | undefined> {
  exchange.headers.cookie = undefined; // agents sign in with keys; a browser's session is for the site's pages
  try {
    await identifyCaller(exchange, services);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await identifyWithoutCredentials(exchange, services);
    return error;
  }
}

/**
 * Who asks at an account endpoint: an account, by key or by access token. While the store that knows it cannot be asked, that is the fault returned, and the
 * caller is counted as the anonymous client it came from: a session goes on, and its tool calls are asked to come back.
 * @throws Problem key_required without a credential; invalid_key, revoked_key, key_expired with a bad one
 */
export async function identifyAccount(exchange: Exchange, services: HttpServices, apps: AuthorisedApps): Promise<Problem | undefined> {
  try {
    await identifyOwner(exchange, services, apps);
    return undefined;
  } catch (error) {
    const problem = asProblem(error);
    if (problem.code !== 'not_ready') throw error;
    await identifyWithoutCredentials(exchange, services);
    return problem;
  }
}

async function identifyOwner(exchange: Exchange, services: HttpServices, apps: AuthorisedApps): Promise<void> {
  const { apiKey, authorization } = exchange.headers;
  exchange.headers.cookie = undefined;
  const sent = sentKey(apiKey, authorization);
  if (sent.status === 'none') throw new Problem('key_required', { message: 'Sign in with OAuth, or send an API key in the X-API-Key header.' });
  if (sent.status === 'differs' || sent.secret.startsWith(KEY_PREFIX) || authorization === undefined) {
    await identifyCaller(exchange, services);
    return;
  }
  const account = await apps.accountOf(sent.secret, exchange.at);
  if (account === undefined) throw new Problem('invalid_key', { message: 'The access token or key is not valid.' });
  await identifyWithoutCredentials(exchange, services);
  exchange.caller = { kind: 'user', client: exchange.caller!.client, account };
}

async function identifyWithoutCredentials(exchange: Exchange, services: HttpServices): Promise<void> {
  exchange.headers.apiKey = undefined;
  exchange.headers.authorization = undefined;
  await identifyCaller(exchange, services);
}
