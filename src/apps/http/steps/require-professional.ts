import { queryValue } from '../../../core/caller/query.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** The professional data tier; with `at` its absence has a name of its own for keys (decisions 4.9). Assistants have none. */
export function requireProfessional({ caller, query }: Exchange): void {
  if ((caller?.kind === 'key' || caller?.kind === 'user') && caller.account.dataTier === 'professional') return;
  const asksHistory = caller?.kind !== 'user' && query !== '' && queryValue(query, 'at') !== undefined;
  throw new Problem(asksHistory ? 'history_requires_professional' : 'professional_required');
}
