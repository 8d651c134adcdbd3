import type { FastifyInstance } from 'fastify';
import { phoneAllowances } from '../../../../core/quota/allowances.ts';
import type { PhoneData } from '../../../../service/phone/lookup-phone.ts';
import { phoneCoverage, phoneTags } from '../../../../service/phone/phone-meta.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices } from '../../services.ts';

/** Any key may read GET /v1/phone/meta/tags and /v1/phone/meta/coverage, without charge. */
export function phoneMetaRoutes(app: FastifyInstance, services: HttpServices, phone: PhoneData): void {
  app.get('/v1/phone/meta/tags', async ({ exchange }) => {
    await showAllowance(exchange, services);
    return phoneTags(exchange.requestId);
  });
  app.get('/v1/phone/meta/coverage', async ({ exchange }) => {
    await showAllowance(exchange, services);
    return phoneCoverage(phone, exchange.requestId);
  });
}

/**
 * Successful answers carry the allowance in phone numbers (interface, Limits); a caller without the
 * capability has none. Nothing is counted.
 */
async function showAllowance(exchange: Exchange, { ledger, clock }: HttpServices): Promise<void> {
  const { caller } = exchange;
  if (caller?.kind !== 'key' || !caller.account.phoneEligible || !caller.account.phoneEnabled || !caller.key.phone)
    return;
  const { minute, day } = phoneAllowances(caller.account);
  try {
    const at = clock.now();
    const [used, seen] = await Promise.all([ledger.usage(day[0]!.id, at), ledger.windows({ minute, day: [] }, at)]);
    const { phonePerDay } = caller.account;
    exchange.day = { limit: phonePerDay, remaining: Math.max(0, phonePerDay - used.used), resetsAt: used.resetsAt };
    exchange.minute = seen.minute;
  } catch {
    // A free answer does not wait for a ledger that is away: the answer goes without these headers.
  }
}
