import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices } from '../../services.ts';
import { refuseInput } from './charge-numbers.ts';

/** Reads the body; a refused one is counted in the minute first. @throws Problem of the reading, or rate_limited */
export async function readOrRefuse<Body>(read: () => Body, exchange: Exchange, services: HttpServices): Promise<Body> {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem) return refuseInput(exchange, services, error);
    throw error;
  }
}
