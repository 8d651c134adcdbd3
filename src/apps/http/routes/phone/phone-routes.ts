import type { FastifyError, FastifyInstance } from 'fastify';
import { PHONE_BODY_MAX_BYTES, PHONE_QUOTA_UNIT } from '../../../../contract/phone.ts';
import { phoneAllowances } from '../../../../core/quota/allowances.ts';
import { lookupPhone, lookupPhones, type PhoneData } from '../../../../service/phone/lookup-phone.ts';
import { phoneCoverage, phoneTags } from '../../../../service/phone/phone-meta.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices } from '../../services.ts';
import type { HttpPlugin } from '../../step.ts';
import { countMinute } from '../../steps/charge-numbers.ts';

interface PhonePaths {
  readonly lookup: string;
  readonly batch: string;
}

/** Every answer of the phone endpoints, even a refusal, carries X-Quota-Unit and X-Billable-Units. */
export function phoneRoutes(phone: PhoneData | undefined): HttpPlugin {
  return async (app, { services }) => {
    await app.register(async (scope) => {
      scope.addHook('onSend', async ({ exchange }, reply, payload) => {
        reply
          .header('X-Quota-Unit', PHONE_QUOTA_UNIT)
          .header('X-Billable-Units', reply.statusCode === 200 ? exchange.quotaUnits : 0);
        return payload;
      });
      scope.removeContentTypeParser('text/plain'); // the framework's parser would take text for JSON
      phoneLookupRoutes(scope, services, phone, { lookup: '/v1/phone/lookup', batch: '/v1/phone/batch' });
      phoneMetaRoutes(scope, services, phone ?? NEVER_ASKED);
    });
  };
}

/** bad_number answers with the input that it was given, in the body and nowhere else. */
export function phoneLookupRoutes(
  scope: FastifyInstance,
  services: HttpServices,
  phone: PhoneData | undefined,
  paths: PhonePaths,
): void {
  const data = phone ?? NEVER_ASKED;
  const options = { config: { mustSettle: true }, bodyLimit: PHONE_BODY_MAX_BYTES };
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store');
    if (phone === undefined) throw new Problem('phone_disabled');
  });
  scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
    const { exchange } = request;
    // A body that the framework did not read never came to a step, but it counts in the minute.
    if (isUnread(error) && exchange.minute === undefined) await countMinute(exchange, services);
    if (!(error instanceof Problem) || error.code !== 'bad_number' || exchange.numbers === undefined) throw error;
    return reply.code(error.status).send({ ...error.body(), query: { input: exchange.numbers[0]!.input } });
  });
  scope.post(paths.lookup, options, async ({ exchange: { numbers, at, requestId } }, reply) => {
    reply.type('application/json; charset=utf-8');
    return lookupPhone(data, numbers![0]!, { now: at, requestId });
  });
  scope.post(paths.batch, options, async ({ exchange: { numbers, at, requestId } }, reply) => {
    reply.type('application/json; charset=utf-8');
    return lookupPhones(data, numbers!, { now: at, requestId });
  });
}

const isUnread = ({ code }: FastifyError): boolean =>
  typeof code === 'string' && (code.startsWith('FST_ERR_CTP_') || code === 'unsupported_media_type');

/** Takes the place of phone data while the capability is off; the hook above refuses before it is read. */
const NEVER_ASKED: PhoneData = {
  get libraries(): never {
    throw new Problem('phone_disabled');
  },
  get segments(): never {
    throw new Problem('phone_disabled');
  },
};

/** Any key may read GET /v1/phone/meta/tags and /v1/phone/meta/coverage, without charge. */
function phoneMetaRoutes(app: FastifyInstance, services: HttpServices, phone: PhoneData): void {
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
