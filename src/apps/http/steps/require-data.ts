import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Nothing can be looked up, and nothing is charged, until the first data is in. */
export function requireData(exchange: Exchange): void {
  if (exchange.view === undefined) exchange.fault ??= new Problem('not_ready');
}
