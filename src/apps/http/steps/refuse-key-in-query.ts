import { hasKeyInQuery } from '../../../core/caller/query.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** A key in the query string ends up in the log of every proxy on the way: the request is refused, not processed (interface, Authentication 2). */
export function refuseKeyInQuery({ query }: Exchange): void {
  if (query !== '' && hasKeyInQuery(query)) throw new Problem('key_in_query');
}
