import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isRecord } from '../../../core/kit/json.ts';
import { agentFamily } from '../../../core/sign-in/agent-family.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { By } from '../../../service/accounts/account-store.ts';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { Session, Sessions } from '../../../service/sign-in/session.ts';
import type { MailLanguage, Visitor } from '../../../service/sign-in/sign-in.ts';
import type { DeviceCookie, SessionCookie } from './cookies.ts';

export function sessionOf({ exchange }: FastifyRequest): Session {
  if (exchange.session === undefined) throw new Problem('sign_in_required');
  return exchange.session;
}

export const byOperator = (request: FastifyRequest, clock: Clock): By => ({
  actor: `operator:${sessionOf(request).account.id}`,
  at: clock.now(),
});

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

export const visitorOf = (
  { exchange, headers }: FastifyRequest,
  language: MailLanguage,
  { device, clock }: { readonly device: DeviceCookie; readonly clock: Clock },
): Visitor => ({
  client: exchange.client!,
  device: device.read(headers.cookie),
  agent: agentFamily(headers['user-agent'] ?? ''),
  at: clock.now(),
  language,
});

/**
 * Returns the fields of a JSON body or a query; none for a value of another kind. The caller must check each
 * field.
 */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) && !Buffer.isBuffer(value) ? value : {};

export const bodyOf = ({ body }: FastifyRequest): Readonly<Record<string, unknown>> => fieldsOf(body);
