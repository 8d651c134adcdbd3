import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** What history refuses about `at` is found out before the charge: it is free, and comes before a used-up day (decisions 4.9). */
export function checkHistory(exchange: Exchange, services: HttpServices): void | Promise<void> {
  if (exchange.moment !== undefined && exchange.fault === undefined) return askHistory(exchange, services);
}

async function askHistory(exchange: Exchange, { pulse }: HttpServices): Promise<void> {
  const { address, at, caller, moment, view } = exchange;
  if (
    moment === undefined ||
    address === undefined ||
    view === undefined ||
    (caller?.kind !== 'key' && caller?.kind !== 'user')
  )
    return;
  try {
    await pulse.checkMoment({ view, address, account: caller.account, now: at, moment });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}
