import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PHONE_BODY_MAX_BYTES } from '../../../../contract/phone.ts';
import { lookupPhone, readLookupBody } from '../../../../service/lookup-phone.ts';
import { Problem } from '../../../../service/problem.ts';
import { chargeNumbers, refuseInput } from './charge-numbers.ts';
import type { PhoneRouteContext } from './phone-routes.ts';
import { readOrRefuse } from './read-or-refuse.ts';

/** POST /v1/phone/lookup: one number, one unit. bad_number answers with the input it was given, in the body and nowhere else. */
export function phoneLookupRoute(app: FastifyInstance, context: PhoneRouteContext): void {
  app.post('/v1/phone/lookup', { config: { endpoint: 'phone-lookup', mustSettle: true }, bodyLimit: PHONE_BODY_MAX_BYTES }, (request, reply) =>
    answerPhoneLookup(request, reply, context),
  );
}

/** The work behind the endpoint, for whoever has settled that the caller may ask. */
export async function answerPhoneLookup(request: FastifyRequest, reply: FastifyReply, { services, phone }: PhoneRouteContext): Promise<unknown> {
  const { exchange } = request;
  const asked = await readOrRefuse(() => readLookupBody(request.body), exchange, services);
  if (asked.number === undefined) {
    const fault = new Problem('bad_number');
    await refuseInput(exchange, services, fault).catch((problem) => {
      if (problem !== fault) throw problem;
    });
    return reply
      .code(fault.status)
      .header('Cache-Control', 'no-store')
      .send({ ...fault.body(), query: { input: asked.input } });
  }
  await chargeNumbers(exchange, services, 1);
  const profile = await lookupPhone(phone, asked, { now: exchange.at, requestId: exchange.requestId });
  request.billableUnits = 1;
  reply.type('application/json; charset=utf-8');
  return profile;
}
