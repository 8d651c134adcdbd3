import { queryValue } from '../../../core/caller/query.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** A batch takes `at` in its body: one in the query would be ignored, and the answer be of another moment than was asked for. */
export function refuseMomentInQuery(exchange: Exchange): void {
  if (exchange.query === '' || queryValue(exchange.query, 'at') === undefined) return;
  exchange.fault = new Problem('bad_request', {
    message: 'Send at in the body of POST /pulse/v1/ip/batch, next to "ips".',
  });
}
