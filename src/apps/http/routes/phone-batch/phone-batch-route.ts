import type { FastifyInstance } from 'fastify';
import { PHONE_BODY_MAX_BYTES } from '../../../../contract/phone.ts';
import { billableUnits, lookupPhones, readBatchBody } from '../../../../service/lookup-phone.ts';
import { chargeNumbers } from '../phone-lookup/charge-numbers.ts';
import type { PhoneRouteContext } from '../phone-lookup/phone-routes.ts';
import { readOrRefuse } from '../phone-lookup/read-or-refuse.ts';

/** POST /v1/phone/batch: up to 1,000 numbers, one unit for every parseable one, charged all or nothing before the look-up. */
export function phoneBatchRoute(app: FastifyInstance, { services, phone }: PhoneRouteContext): void {
  app.post('/v1/phone/batch', { config: { endpoint: 'phone-batch', mustSettle: true }, bodyLimit: PHONE_BODY_MAX_BYTES }, async (request) => {
    const { exchange } = request;
    const inputs = await readOrRefuse(() => readBatchBody(request.body), exchange, services);
    const units = billableUnits(inputs);
    await chargeNumbers(exchange, services, units);
    const batch = await lookupPhones(phone, inputs, { now: exchange.at, requestId: exchange.requestId });
    request.billableUnits = units;
    return batch;
  });
}
