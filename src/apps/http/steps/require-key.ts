import { Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';

/** Every endpoint but GET /v1/ip/{ip} asks for a key (interface, Authentication 3). */
export function requireKey({ caller }: Exchange): void {
  if (caller?.kind !== 'key') throw new Problem('key_required');
}
