import { queryValue } from '../../../core/caller/query.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** History is for the professional endpoint: `at` on the basic one is a mistake, not a wish to be ignored (decisions 4.3). */
export function refuseMoment(exchange: Exchange): void {
  if (exchange.query === '' || exchange.fault !== undefined || queryValue(exchange.query, 'at') === undefined) return;
  exchange.fault = new Problem('bad_request', {
    message: 'at belongs to GET /pulse/v1/ip/{ip}; this endpoint answers for now.',
  });
}
