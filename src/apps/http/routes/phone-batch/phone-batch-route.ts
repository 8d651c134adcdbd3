import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PHONE_BODY_MAX_BYTES } from '../../../../contract/phone.ts';
import { billableUnits, lookupPhones, readBatchBody } from '../../../../service/lookup-phone.ts';
import { chargeNumbers } from '../phone-lookup/charge-numbers.ts';
import type { PhoneRouteContext } from '../phone-lookup/phone-routes.ts';
import { readOrRefuse } from '../phone-lookup/read-or-refuse.ts';

/** POST /v1/phone/batch: up to 1,000 numbers, one unit for every parseable one, charged all or nothing before the look-up. */
export function phoneBatchRoute(app: FastifyInstance, context: PhoneRouteContext): void {
  app.post('/v1/phone/batch', { config: { endpoint: 'phone-batch', mustSettle: true }, bodyLimit: PHONE_BODY_MAX_BYTES }, (request, reply) =>
    answerPhoneBatch(request, reply, context),
  );
}

/** The work behind the endpoint, for whoever has settled that the caller may ask. */
export async function answerPhoneBatch(request: FastifyRequest, reply: FastifyReply, { services, phone }: PhoneRouteContext): Promise<string> {
  const { exchange } = request;
  const inputs = await readOrRefuse(() => readBatchBody(request.body), exchange, services);
  const units = billableUnits(inputs);
  await chargeNumbers(exchange, services, units);
  const batch = await lookupPhones(phone, inputs, { now: exchange.at, requestId: exchange.requestId });
  request.billableUnits = units;
  reply.type('application/json; charset=utf-8');
  return batch;
}
