import { Problem } from '../../../service/problem.ts';
import type { Session } from '../../../service/sign-in/session.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyClient } from './identify-caller.ts';
import { judgeCredential } from './judge-credential.ts';
import { mayBeSession } from './visitor-account.ts';

/** A browser that is signed in; a request that changes something carries the session's token in X-CSRF-Token. */
export async function requireSession(exchange: Exchange, services: HttpServices): Promise<void> {
  const { sessions } = services;
  if (sessions === undefined || !mayBeSession(exchange.headers.cookie)) throw new Problem('sign_in_required');
  identifyClient(exchange, services);
  const found = await judgeCredential(exchange, services, {
    kind: 'unknownToken',
    ask: () => sessions.require(exchange.request, exchange.at).catch(unknownSession),
    isKnown: (session: Session | undefined) => session !== undefined,
  });
  if (found === undefined) throw new Problem('sign_in_required');
  exchange.session = found;
}

function unknownSession(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== 'sign_in_required') throw error;
}
