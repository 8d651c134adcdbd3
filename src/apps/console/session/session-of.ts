import type { FastifyRequest } from 'fastify';
import type { By } from '../../../service/accounts/account-store.ts';
import type { Clock } from '../../../service/ports.ts';
import { Problem } from '../../../service/problem.ts';
import type { Session } from '../../../service/sign-in/session.ts';

export function sessionOf({ exchange }: FastifyRequest): Session {
  if (exchange.session === undefined) throw new Problem('sign_in_required');
  return exchange.session;
}

export const byOperator = (request: FastifyRequest, clock: Clock): By => ({
  actor: `operator:${sessionOf(request).account.id}`,
  at: clock.now(),
});
