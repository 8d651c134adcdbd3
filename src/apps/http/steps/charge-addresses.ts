import { IP_BATCH_UNIT_BYTES } from '../../../contract/ip-batch.ts';
import { type Allowances, lookupAllowances } from '../../../core/quota/allowances.ts';
import { type IpBatchBody, readIpBatch } from '../../../service/lookup/read-ip-batch.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { charge } from './charge.ts';
import { keepFault } from './read.ts';

/** Reads the addresses of a batch of POST /v1/ip/batch; a fault is reported after the minute was counted. A body that no minute holds is not read. */
export const readAddresses = (exchange: Exchange, services: HttpServices): void => readFor(exchange, services, false);

/** As `readAddresses`, for POST /pulse/v1/ip/batch, which answers for the past too. */
export const readPastAddresses = (exchange: Exchange, services: HttpServices): void =>
  readFor(exchange, services, true);

function readFor(exchange: Exchange, services: HttpServices, takesMoment: boolean): void {
  if (exchange.fault !== undefined || isTooLong(exchange, services)) return;
  keepFault(exchange, () => {
    exchange.addresses = readIpBatch(exchange.body as IpBatchBody | undefined, { takesMoment, now: exchange.at });
  });
}

/**
 * Reserves a batch of look-ups (decisions 10.1): the minute counts every item, and every KiB where there are more of those, since a body costs its reading; the
 * day counts the items that can be looked up, all or nothing. A request whose input is refused counts its KiB in the minute, and the refusal is thrown after that.
 * @throws Problem the exchange's fault, batch_over_rate_limit, rate_limited, or the 429 of the day counter that refused
 */
export async function chargeAddresses(exchange: Exchange, services: HttpServices): Promise<void> {
  const { minute, day } = lookupAllowances(exchange.caller!, services.limits);
  const { count, readable } = (exchange.fault === undefined ? exchange.addresses?.addresses : undefined) ?? {
    count: 1,
    readable: 0,
  };
  const units = Math.max(count, kibOf(exchange));
  if (units > smallestOf(minute)) return await refuseOversized(exchange, services, minute);
  if (exchange.fault !== undefined || exchange.addresses === undefined)
    return await charge(exchange, services, { units, minute, day: [] });
  // The ledger takes as many units of the minute as of the day; what costs no day is counted before.
  if (readable < units) await charge(exchange, services, { units: units - readable, minute, day: [] });
  await charge(exchange, services, { units: readable, minute, day });
}

/** Whether the body alone is more than the minute ever holds. */
const isTooLong = (exchange: Exchange, { limits }: HttpServices): boolean =>
  kibOf(exchange) > smallestOf(lookupAllowances(exchange.caller!, limits).minute);

function kibOf({ addresses, body }: Exchange): number {
  const { bytes } = (body ?? {}) as Partial<IpBatchBody>;
  return Math.ceil((addresses?.bytes ?? (Buffer.isBuffer(bytes) ? bytes.length : 0)) / IP_BATCH_UNIT_BYTES);
}

const smallestOf = (minute: Allowances['minute']): number => Math.min(...minute.map(({ hardLimit }) => hardLimit));

/** It counts as one request of the minute, whether or not the minute has room: the answer is that it can never pass. */
async function refuseOversized(
  exchange: Exchange,
  services: HttpServices,
  minute: Allowances['minute'],
): Promise<never> {
  const at = services.clock.now();
  exchange.minute = (await services.ledger.charge({ at, units: 1, minute, day: [] })).minute;
  const resetsAt = exchange.minute?.resetsAt ?? at;
  throw new Problem('batch_over_rate_limit', {
    extras: { retry_after: Math.max(1, Math.ceil((resetsAt - at) / 1000)) },
  });
}

/** Gives back what was reserved beyond the items with a verdict, and shows the allowance as it is then. */
export async function giveBackUnanswered(exchange: Exchange, services: HttpServices, billable: number): Promise<void> {
  const { receipt } = exchange;
  if (receipt === undefined || receipt.units === billable) return;
  exchange.receipt = undefined;
  await services.ledger.refund(receipt, services.clock.now(), receipt.units - billable);
  const { minute, day } = lookupAllowances(exchange.caller!, services.limits);
  const seen = await services.ledger.charge({ at: services.clock.now(), units: 0, minute, day });
  exchange.minute = seen.minute ?? exchange.minute;
  exchange.day = seen.day ?? exchange.day;
}
