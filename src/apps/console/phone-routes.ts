import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PHONE_BODY_MAX_BYTES } from '../../contract/phone.ts';
import type { PhoneData } from '../../service/lookup-phone.ts';
import { Problem } from '../../service/problem.ts';
import { answerPhoneBatch } from '../http/routes/phone-batch/phone-batch-route.ts';
import { answerPhoneLookup } from '../http/routes/phone-lookup/phone-lookup-route.ts';
import type { HttpServices } from '../http/services.ts';
import { enterAsUser } from './enter-as-user.ts';
import type { SessionGuard } from './session/session-guard.ts';

/**
 * The phone endpoints for a signed-in browser: POST /console/api/phone/lookup and /batch. The same work, charges and answers as with a key.
 * @param phone undefined: the capability is switched off
 */
export function consolePhoneRoutes(app: FastifyInstance, services: HttpServices, guard: SessionGuard, phone: PhoneData | undefined): void {
  const enter = async (request: FastifyRequest): Promise<PhoneData> => {
    const account = await enterAsUser(request, guard, services);
    if (!account.phoneEligible) throw new Problem('capability_not_eligible');
    if (!account.phoneEnabled) throw new Problem('capability_not_enabled');
    if (phone === undefined) throw new Problem('phone_disabled');
    return phone;
  };
  const options = { config: { mustSettle: true }, bodyLimit: PHONE_BODY_MAX_BYTES };
  app.post('/console/api/phone/lookup', options, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return answerPhoneLookup(request, reply, { services, phone: await enter(request) });
  });
  app.post('/console/api/phone/batch', options, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    return answerPhoneBatch(request, reply, { services, phone: await enter(request) });
  });
}
