import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { Session, Sessions } from '../../../service/session.ts';
import { isSameSite } from './same-site.ts';
import type { SessionCookie } from './session-cookie.ts';

export interface SessionGuard {
  /** The session of the request's cookie, if it is signed in. */
  find(request: FastifyRequest): Promise<Session | undefined>;
  /**
   * The session, for endpoints that only answer a signed-in browser. A request that changes something must come from our own pages and carry
   * the session's token in X-CSRF-Token.
   * @throws Problem sign_in_required, forbidden
   */
  require(request: FastifyRequest): Promise<Session>;
  /** For requests that change something without a session (sign-in itself). @throws Problem forbidden */
  requireSameSite(request: FastifyRequest): void;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Every console endpoint asks this guard, so that no endpoint has rules of its own. */
export function sessionGuard(options: {
  readonly sessions: Sessions;
  readonly cookie: SessionCookie;
  readonly baseUrl: string;
  readonly clock: Clock;
}): SessionGuard {
  const { sessions, cookie, baseUrl, clock } = options;
  const find = (request: FastifyRequest): Promise<Session | undefined> => sessions.find(cookie.read(request.headers.cookie), clock.now());
  const requireSameSite = (request: FastifyRequest): void => {
    if (!isSameSite(request.headers, baseUrl)) throw new Problem('forbidden', { message: 'The request does not come from this site.' });
  };
  return {
    find,
    requireSameSite,
    async require(request) {
      const session = await find(request);
      if (session === undefined) throw new Problem('sign_in_required');
      if (READS.has(request.method)) return session;
      requireSameSite(request);
      if (!sessions.csrfMatches(session.id, request.headers['x-csrf-token']))
        throw new Problem('forbidden', { message: 'X-CSRF-Token is missing or belongs to another session.' });
      return session;
    },
  };
}
