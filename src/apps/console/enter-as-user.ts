import type { FastifyRequest } from 'fastify';
import type { Account } from '../../core/caller/caller.ts';
import type { HttpServices } from '../http/services.ts';
import { identifyClient } from '../http/steps/identify-caller.ts';
import type { SessionGuard } from './session/session-guard.ts';

/**
 * Makes the signed-in account the caller of this request, so that charges and answers are those of its keys (one allowance, interface general rule 5).
 * @throws Problem sign_in_required, forbidden
 */
export async function enterAsUser(request: FastifyRequest, guard: SessionGuard, services: HttpServices): Promise<Account> {
  const { account } = await guard.require(request);
  const { client } = identifyClient(request.exchange, services);
  request.exchange.caller = { kind: 'user', client, account };
  return account;
}
