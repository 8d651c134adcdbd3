import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Keeps a refusal of the input on the exchange, for the charge to report once the minute was counted. Anything else is thrown on. */
export function keepFault(exchange: Exchange, read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}
