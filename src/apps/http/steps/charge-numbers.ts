import type { Account } from '../../../core/caller/caller.ts';
import { phoneAllowances } from '../../../core/quota/allowances.ts';
import { quotaUnits, readBatchBody, readLookupBody } from '../../../service/phone/lookup-phone.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { LookupServices } from '../services.ts';
import { charge, refuseTooManyUnits } from './charge.ts';
import { keepFault } from './read.ts';

export function readPhoneNumber(exchange: Exchange): void {
  keepFault(exchange, () => {
    const asked = readLookupBody(exchange.body);
    exchange.numbers = [asked];
    if (asked.number === undefined) throw new Problem('bad_number');
  });
}

/** Numbers that cannot be parsed are answered one by one. A fault is reported after the minute was counted. */
export function readPhoneBatch(exchange: Exchange): void {
  keepFault(exchange, () => {
    exchange.numbers = readBatchBody(exchange.body);
  });
}

/**
 * Takes one unit for every number that can be parsed, all or nothing, and keeps the window states for the
 * headers. Refused input counts in the minute, never in the day, before the refusal is thrown.
 * @throws Problem the exchange's fault, batch_over_rate_limit, rate_limited, quota_exceeded,
 * quota_unavailable
 */
export async function chargeNumbers(exchange: Exchange, services: LookupServices): Promise<void> {
  if (exchange.fault !== undefined) return countMinute(exchange, services);
  const account = accountOf(exchange);
  const allowances = phoneAllowances(account);
  const units = quotaUnits(exchange.numbers ?? []);
  if (units > 1 && units > account.phonePerMin)
    return await ask(() => refuseTooManyUnits(exchange, services, allowances.minute));
  await ask(() => charge(exchange, services, { units, minuteUnits: Math.max(1, units), ...allowances }));
  exchange.quotaUnits = units;
}

/** @throws Problem the exchange's fault, rate_limited, quota_unavailable */
export async function countMinute(exchange: Exchange, services: LookupServices): Promise<void> {
  const { minute } = phoneAllowances(accountOf(exchange));
  await ask(() => charge(exchange, services, { units: 1, minute, day: [] }));
}

function accountOf({ caller }: Exchange): Account {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return caller.account;
}

/** A ledger that cannot answer is quota_unavailable: no lookup is made that could not be charged. */
async function ask(question: () => void | Promise<void>): Promise<void> {
  try {
    await question();
  } catch (error) {
    throw error instanceof Problem ? error : new Problem('quota_unavailable', { cause: error });
  }
}
