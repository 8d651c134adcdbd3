import type { Account } from '../../../../core/caller/caller.ts';
import { phoneAllowances } from '../../../../core/quota/allowances.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices } from '../../services.ts';
import { charge } from '../../steps/charge-allowance.ts';

/** The account that asks, with a key or signed in on the site. Whoever routed the request here has settled that it holds the capability. */
function phoneAccount({ caller }: Exchange): Account {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return caller.account;
}

/**
 * Takes `units` phone numbers, all or nothing, and keeps the window states for the headers.
 * @throws Problem batch_over_rate_limit, rate_limited, quota_exceeded, quota_unavailable
 */
export async function chargeNumbers(exchange: Exchange, services: HttpServices, units: number): Promise<void> {
  const account = phoneAccount(exchange);
  const allowances = phoneAllowances(account);
  if (units > 1 && units > account.phonePerMin) {
    // It counts as one request of the minute, whether or not the minute has room: what there is to tell is that it can never pass.
    await ask(async () => {
      exchange.minute = (await services.ledger.charge({ at: exchange.at, units: 1, minute: allowances.minute, day: [] })).minute;
    });
    throw new Problem('batch_over_rate_limit', { extras: { retry_after: secondsToNextMinute(exchange) } });
  }
  // A request that costs nothing is still one of the minute's.
  if (units === 0) await ask(() => charge(exchange, services, { units: 1, minute: allowances.minute, day: [] }));
  await ask(() => charge(exchange, services, { units, ...allowances }));
}

/**
 * Counts a request whose input was refused in the minute, never in the day, and tells what is wrong with it.
 * @throws Problem rate_limited, quota_unavailable, or `fault`
 */
export async function refuseInput(exchange: Exchange, services: HttpServices, fault: Problem): Promise<never> {
  exchange.fault = fault;
  await ask(() => charge(exchange, services, { units: 1, ...phoneAllowances(phoneAccount(exchange)) }));
  throw fault;
}

const secondsToNextMinute = ({ at, minute }: Exchange): number => Math.max(1, Math.ceil(((minute?.resetsAt ?? at) - at) / 1000));

/** A ledger that cannot answer is quota_unavailable: no look-up is made that could not be charged. */
async function ask(question: () => void | Promise<void>): Promise<void> {
  try {
    await question();
  } catch (error) {
    throw error instanceof Problem ? error : new Problem('quota_unavailable', { cause: error });
  }
}
