import { queryPairs } from '../../../core/caller/query.ts';
import { parseRfc3339 } from '../../../core/evidence/parse-rfc3339.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Reads `at`. Sent twice it is as malformed as no date at all. */
export function readMoment(exchange: Exchange): void {
  if (exchange.query === '' || exchange.fault !== undefined) return;
  const values = queryPairs(exchange.query).filter(([name]) => name === 'at');
  if (values.length === 0) return;
  const moment = values.length === 1 ? parseRfc3339(values[0]![1]) : undefined;
  if (moment === undefined || moment > exchange.at) exchange.fault = new Problem('invalid_time');
  else exchange.moment = moment;
}
