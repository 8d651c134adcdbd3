import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** What the deployment and its history refuse about `at`, found out before the charge, since such a refusal is free. */
export async function rulesOfHistory(exchange: Exchange, { pulse }: HttpServices): Promise<void> {
  const { address, caller, moment, view } = exchange;
  if (moment === undefined || address === undefined || view === undefined || caller?.kind !== 'key') return;
  try {
    if (pulse === undefined) throw new Problem('history_not_enabled');
    await pulse.checkMoment({ view, address, account: caller.account, now: exchange.at, moment });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}

/** As `rulesOfHistory`, without waiting where there is nothing to ask. */
export function checkHistory(exchange: Exchange, services: HttpServices): void | Promise<void> {
  if (exchange.moment !== undefined && exchange.fault === undefined) return rulesOfHistory(exchange, services);
}
