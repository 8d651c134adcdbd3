import { readLookupBody } from '../../../service/phone/lookup-phone.ts';
import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import { keepFault } from './keep-fault.ts';

/** Reads the number of a phone look-up. A fault is reported after the minute was counted. */
export function readPhoneNumber(exchange: Exchange): void {
  keepFault(exchange, () => {
    const asked = readLookupBody(exchange.body);
    exchange.numbers = [asked];
    if (asked.number === undefined) throw new Problem('bad_number');
  });
}
