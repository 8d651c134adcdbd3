import type { IncomingMessage } from 'node:http';
import type { UnixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import type { Session, Sessions } from '../../../service/sign-in/session.ts';
import type { SessionCookie } from './session-cookie.ts';

const READS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/**
 * Finds the session of a request. A change must carry the session's token in X-CSRF-Token (see also
 * `requireSameSite`).
 */
export const checkSession =
  (sessions: Pick<Sessions, 'find' | 'csrfMatches'>, cookie: SessionCookie) =>
  /** @throws Problem sign_in_required, forbidden */
  async ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>, at: UnixMs): Promise<Session> => {
    const session = await sessions.find(cookie.read(headers.cookie), at);
    if (session === undefined) throw new Problem('sign_in_required');
    if (READS.has(method) || sessions.csrfMatches(session.id, headers['x-csrf-token'])) return session;
    throw new Problem('forbidden', { message: 'X-CSRF-Token is missing or belongs to another session.' });
  };
