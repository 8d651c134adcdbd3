import { type IpBatchBody, readIpBatch } from '../../../service/read-ip-batch.ts';
import type { Exchange } from '../exchange.ts';
import { keepFault } from './keep-fault.ts';

/** Reads the addresses of a batch of POST /v1/ip/batch; a fault is reported after the minute was counted. */
export const readAddresses = (exchange: Exchange): void => readFor(exchange, false);

/** As `readAddresses`, for POST /pulse/v1/ip/batch, which answers for the past too. */
export const readPastAddresses = (exchange: Exchange): void => readFor(exchange, true);

function readFor(exchange: Exchange, takesMoment: boolean): void {
  if (exchange.fault !== undefined) return;
  keepFault(exchange, () => {
    exchange.addresses = readIpBatch(exchange.body as IpBatchBody | undefined, { takesMoment, now: exchange.at });
  });
}
