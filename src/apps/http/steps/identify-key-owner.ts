import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { identifyCaller } from './identify-caller.ts';

/** As `identifyCaller`, by the rule of GET /v1/me alone: a key that is missing or invalid is key_required (interface, GET /v1/me). */
export function identifyKeyOwner(exchange: Exchange, services: HttpServices): void | Promise<void> {
  try {
    const waiting = identifyCaller(exchange, services);
    if (waiting !== undefined) return waiting.catch(asRequired);
  } catch (error) {
    asRequired(error);
  }
}

function asRequired(error: unknown): never {
  if (error instanceof Problem && error.code === 'invalid_key') throw new Problem('key_required', { cause: error });
  throw error;
}
