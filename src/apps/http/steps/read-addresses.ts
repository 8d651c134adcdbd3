import { type IpBatchBody, readIpBatch } from '../../../service/lookup/read-ip-batch.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { isTooLong } from './charge-addresses.ts';
import { keepFault } from './keep-fault.ts';

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
