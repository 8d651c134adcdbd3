import { queryValue } from '../../../core/caller/query.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** The professional data tier; with `at` its absence has a name of its own (decisions 4.9). Assistants are no exception. */
export function requireProfessional({ caller, query }: Exchange): void {
  if (caller?.kind === 'key' && caller.account.dataTier === 'professional') return;
  throw new Problem(query !== '' && queryValue(query, 'at') !== undefined ? 'history_requires_professional' : 'professional_required');
}
