import { ACCOUNT_LIMITS, subjectCounter } from '../../../core/limits/limits.ts';
import { admit } from '../../../service/limiter.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';

/** Counts a console request in its class under its account too, over all its sessions and clients. @throws Problem rate_limited */
export function takeAccountCost({ session, cost, at }: Exchange, { limiter }: HttpServices): void | Promise<void> {
  const limit = cost && ACCOUNT_LIMITS[cost];
  if (session === undefined || limit === undefined) return;
  return admit(limiter, [subjectCounter(`${cost} account`, limit, session.account.id)], at);
}
