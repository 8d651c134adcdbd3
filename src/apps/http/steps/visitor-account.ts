import type { Account } from '../../../core/caller/caller.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { judgeCredential } from './judge-credential.ts';

/** A session cookie of the form we set; any other opens nothing, without a question to the store. */
const SESSION = /(?:^|;\s*)(?:__Host-)?pulse_session=[\w-]{43}(?:;|\s*$)/;

export const mayBeSession = (cookie: string | undefined): cookie is string =>
  cookie !== undefined && SESSION.test(cookie);

/**
 * The account behind a browser's cookies; undefined without one that lives. A client that brings too many sessions that do not exist is a visitor without one.
 * The client address is settled before.
 */
export async function visitorAccount(
  exchange: Exchange,
  services: Pick<HttpServices, 'limiter' | 'sessions'>,
): Promise<Account | undefined> {
  const { cookie } = exchange.headers;
  const { sessions } = services;
  if (sessions === undefined || !mayBeSession(cookie)) return undefined;
  try {
    const account = await judgeCredential(exchange, services, {
      kind: 'unknownToken',
      ask: () => sessions.accountOf(cookie, exchange.at),
      isKnown: (found: Account | undefined) => found !== undefined,
    });
    return account?.disabled === false ? account : undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return undefined;
    throw error;
  }
}
