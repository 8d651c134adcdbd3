import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyClient } from './identify-caller.ts';

/** Makes the signed-in account the caller, so that charges and answers are those of its keys (one allowance, interface general rule 5). */
export function enterAsUser(exchange: Exchange, services: HttpServices): void {
  if (exchange.session === undefined) throw new Problem('sign_in_required');
  const { client } = identifyClient(exchange, services);
  exchange.caller = { kind: 'user', client, account: exchange.session.account };
}
