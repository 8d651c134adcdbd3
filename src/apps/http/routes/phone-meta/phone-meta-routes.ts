import type { FastifyInstance } from 'fastify';
import { phoneCoverage, phoneTags } from '../../../../service/phone-meta.ts';
import type { PhoneRouteContext } from '../phone-lookup/phone-routes.ts';

/** GET /v1/phone/meta/tags and /v1/phone/meta/coverage: any key, no charge. */
export function phoneMetaRoutes(app: FastifyInstance, { phone }: PhoneRouteContext): void {
  app.get('/v1/phone/meta/tags', { config: { endpoint: 'phone-meta' } }, async ({ exchange }) => phoneTags(exchange.requestId));
  app.get('/v1/phone/meta/coverage', { config: { endpoint: 'phone-meta' } }, async ({ exchange }) => phoneCoverage(phone, exchange.requestId));
}
