import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../service/problem.ts';
import type { Session } from '../../../service/sign-in/session.ts';

/** The signed-in browser of a request, which the steps of its route have settled (`requireSession`). */
export function sessionOf({ exchange }: FastifyRequest): Session {
  if (exchange.session === undefined) throw new Problem('sign_in_required');
  return exchange.session;
}
