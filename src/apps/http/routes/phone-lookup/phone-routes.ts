import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { PHONE_QUOTA_UNIT } from '../../../../contract/phone.ts';
import type { PhoneData } from '../../../../service/lookup-phone.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../app.ts';
import type { HttpServices } from '../../services.ts';
import { phoneBatchRoute } from '../phone-batch/phone-batch-route.ts';
import { phoneMetaRoutes } from '../phone-meta/phone-meta-routes.ts';
import { refuseInput } from './charge-numbers.ts';
import { phoneLookupRoute } from './phone-lookup-route.ts';

/** The routes of one thread read this. */
export interface PhoneRouteContext {
  readonly services: HttpServices;
  readonly phone: PhoneData;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Phone numbers this answer costs; anything but a 200 costs none. */
    billableUnits: number;
  }
}

/**
 * The phone endpoints in a scope of their own: every answer, refusals too, carries X-Quota-Unit and X-Billable-Units.
 * @param phone undefined: the capability is switched off, and entitled callers are told so
 */
export function phoneRoutes(phone: PhoneData | undefined): HttpPlugin {
  return async (app, { services }) => {
    app.decorateRequest('billableUnits', 0);
    await app.register(async (scope) => {
      scope.addHook('onRequest', async () => {
        if (phone === undefined) throw new Problem('phone_disabled');
      });
      scope.addHook('onSend', async (request, reply, payload) => {
        reply.header('X-Quota-Unit', PHONE_QUOTA_UNIT).header('X-Billable-Units', reply.statusCode === 200 ? request.billableUnits : 0);
        return payload;
      });
      scope.removeContentTypeParser('text/plain'); // the framework's own: text is no JSON, whatever stands in it
      countUnreadBodies(scope, services);
      const context: PhoneRouteContext = { services, phone: phone ?? NEVER_ASKED };
      phoneLookupRoute(scope, context);
      phoneBatchRoute(scope, context);
      phoneMetaRoutes(scope, context);
    });
  };
}

/** Stands in while the capability is off; the hook above refuses before anything could read it. */
const NEVER_ASKED: PhoneData = {
  get libraries(): never {
    throw new Problem('phone_disabled');
  },
  get segments(): never {
    throw new Problem('phone_disabled');
  },
};

/** A body fastify refused to read never came to a handler: it counts in the minute all the same, and then goes on to the one error writer. */
function countUnreadBodies(scope: FastifyInstance, services: HttpServices): void {
  scope.setErrorHandler<FastifyError>(async (error, request) => {
    const unread = typeof error.code === 'string' && (error.code.startsWith('FST_ERR_CTP_') || error.code === 'unsupported_media_type');
    if (unread && request.exchange.minute === undefined) await countOnly(request, services, error);
    throw error;
  });
}

async function countOnly(request: FastifyRequest, services: HttpServices, cause: unknown): Promise<void> {
  const fault = new Problem('bad_request', { cause });
  await refuseInput(request.exchange, services, fault).catch((problem) => {
    if (problem !== fault) throw problem;
  });
}
