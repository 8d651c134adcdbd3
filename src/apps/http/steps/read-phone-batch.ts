import { readBatchBody } from '../../../service/phone/lookup-phone.ts';
import type { Exchange } from '../exchange.ts';
import { keepFault } from './keep-fault.ts';

/** Reads the numbers of a batch; those that cannot be parsed are answered one by one. A fault is reported after the minute was counted. */
export function readPhoneBatch(exchange: Exchange): void {
  keepFault(exchange, () => {
    exchange.numbers = readBatchBody(exchange.body);
  });
}
