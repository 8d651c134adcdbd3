import { queryPairs } from '../../../core/caller/query.ts';
import { parseMoment } from '../../../core/moment.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Reads `at`. Twice is as malformed as none of a date. */
export function readMoment(exchange: Exchange): void {
  if (exchange.query === '' || exchange.fault !== undefined) return;
  const values = queryPairs(exchange.query).filter(([name]) => name === 'at');
  if (values.length === 0) return;
  const moment = values.length === 1 ? parseMoment(values[0]![1]) : undefined;
  if (moment === undefined || moment > exchange.at) exchange.fault = new Problem('invalid_time');
  else exchange.moment = moment;
}
