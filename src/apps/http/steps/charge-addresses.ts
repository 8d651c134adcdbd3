import { IP_BATCH_UNIT_BYTES } from '../../../contract/ip-batch.ts';
import { type Allowances, lookupAllowances } from '../../../core/quota/allowances.ts';
import { type IpBatchBody, readIpBatch } from '../../../service/lookup/read-ip-batch.ts';
import type { Exchange } from '../exchange.ts';
import type { LookupServices } from '../services.ts';
import { charge, refuseTooManyUnits } from './charge.ts';
import { keepFault } from './read.ts';

/** A fault is reported after the minute was counted. A body that no minute holds is not read. */
export function readAddresses(exchange: Exchange, services: LookupServices, takesMoment: boolean): void {
  if (exchange.fault !== undefined || isTooLong(exchange, services)) return;
  keepFault(exchange, () => {
    exchange.addresses = readIpBatch(exchange.body as IpBatchBody | undefined, { takesMoment, now: exchange.at });
  });
}

/**
 * Reserves a batch of lookups (decisions 10.1). The minute counts every item, or every KiB where those are
 * more, because a body costs its reading. The day counts the items that can be looked up, all or nothing.
 * Refused input counts its KiB in the minute before the refusal is thrown.
 * @throws Problem the exchange's fault, batch_over_rate_limit, rate_limited, or the 429 of the day counter
 * that refused
 */
export async function chargeAddresses(exchange: Exchange, services: LookupServices): Promise<void> {
  const { minute, day } = lookupAllowances(exchange.caller!, services.limits);
  const { count, readable } = (exchange.fault === undefined ? exchange.addresses?.addresses : undefined) ?? {
    count: 1,
    readable: 0,
  };
  const units = Math.max(count, kibOf(exchange));
  if (units > smallestOf(minute)) return await refuseTooManyUnits(exchange, services, minute);
  const isRead = exchange.addresses !== undefined;
  await charge(exchange, services, { units: readable, minuteUnits: units, minute, day: isRead ? day : [] });
}

const isTooLong = (exchange: Exchange, { limits }: LookupServices): boolean =>
  kibOf(exchange) > smallestOf(lookupAllowances(exchange.caller!, limits).minute);

function kibOf({ addresses, body }: Exchange): number {
  const { bytes } = (body ?? {}) as Partial<IpBatchBody>;
  return Math.ceil((addresses?.bytes ?? (Buffer.isBuffer(bytes) ? bytes.length : 0)) / IP_BATCH_UNIT_BYTES);
}

const smallestOf = (minute: Allowances['minute']): number => Math.min(...minute.map(({ hardLimit }) => hardLimit));

/** Gives back units reserved beyond the items with a verdict, and shows the allowance after that. */
export async function giveBackUnused(exchange: Exchange, services: LookupServices, billable: number): Promise<void> {
  const { receipt } = exchange;
  if (receipt === undefined || receipt.units === billable) return;
  exchange.receipt = undefined;
  const at = services.clock.now();
  const [, { minute, day }] = await Promise.all([
    services.ledger.refund(receipt, at, receipt.units - billable),
    services.ledger.windows(lookupAllowances(exchange.caller!, services.limits), at),
  ]);
  exchange.minute = minute ?? exchange.minute;
  exchange.day = day ?? exchange.day;
}
