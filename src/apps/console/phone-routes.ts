import type { FastifyInstance } from 'fastify';
import type { PhoneData } from '../../service/phone/lookup-phone.ts';
import { phoneLookupRoutes } from '../http/routes/phone/phone-routes.ts';
import type { HttpServices } from '../http/services.ts';

/** Phone endpoints for a signed-in browser: the same work, charges and answers as with a key. */
export function consolePhoneRoutes(
  parent: FastifyInstance,
  services: HttpServices,
  phone: PhoneData | undefined,
): void {
  parent.register(async (app) => {
    phoneLookupRoutes(app, services, phone, { lookup: '/console/api/phone/lookup', batch: '/console/api/phone/batch' });
  });
}
