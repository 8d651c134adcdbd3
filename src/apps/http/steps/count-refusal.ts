import { lookupAllowances } from '../../../core/quota/allowances.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyClient } from './identify-caller.ts';

/**
 * Counts a look-up that was refused before the minute had its turn (method, key in the query, key, tier): the minute counts every request (decisions 4.5),
 * while the answer follows the order of checks (4.9), so a full minute changes nothing about the refusal. A caller whose key stood pays from the minute of
 * its account, any other from the minute of its client address: a wrong or revoked key uses up nothing of another caller's.
 */
export function countRefusal(exchange: Exchange, services: HttpServices): void | Promise<void> {
  if (exchange.minute !== undefined) return;
  const caller = exchange.caller ?? identifyClient(exchange, services);
  const { minute } = lookupAllowances(caller, services.limits);
  const result = services.ledger.charge({ at: services.clock.now(), units: 1, minute, day: [] });
  if (result instanceof Promise) return result.then(() => {});
}
