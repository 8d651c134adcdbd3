import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IP_BATCH_BODY_MAX_BYTES } from '../../../../contract/ip-batch.ts';
import { batchDocument, batchLines, type IpBatchAnswer, lookupIps, lookupPulses } from '../../../../service/lookup-ips.ts';
import { Problem } from '../../../../service/problem.ts';
import type { IpBatchBody } from '../../../../service/read-ip-batch.ts';
import type { HttpPlugin } from '../../create-app.ts';
import type { Exchange } from '../../exchange.ts';
import { JSON_TYPE } from '../../json-in-turns.ts';
import type { HttpServices } from '../../services.ts';
import { chargeAddresses, giveBackUnanswered } from '../../steps/charge-addresses.ts';
import { countRefusal } from '../../steps/count-refusal.ts';

const LINES_TYPE = 'application/x-ndjson';

/**
 * POST /v1/ip/batch and POST /pulse/v1/ip/batch: up to 1,000 look-ups in one request, an extension of the interface (decisions 10.1). The steps have read and
 * charged when a handler runs; what got no verdict is given back before the answer leaves.
 */
export const ipBatchRoutes: HttpPlugin = async (app, { services }) => {
  await app.register(async (scope) => {
    takeBodies(scope);
    scope.setErrorHandler<FastifyError>(async (error, { exchange }) => {
      if (exchange.minute === undefined) await countOnce(error, exchange, services);
      throw error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' ? new Problem('unsupported_media_type', { message: TYPES, cause: error }) : error;
    });
    const options = { bodyLimit: IP_BATCH_BODY_MAX_BYTES };
    scope.post('/v1/ip/batch', options, async (request, reply) => {
      const { addresses, view, at } = request.exchange;
      return await finish(request, reply, services, await lookupIps(addresses!, view!, at));
    });
    scope.post('/pulse/v1/ip/batch', options, async (request, reply) => {
      const { addresses, view, at, caller } = request.exchange;
      if (caller?.kind !== 'key') throw new Problem('key_required');
      return await finish(request, reply, services, await lookupPulses(addresses!, services.pulse, { view: view!, account: caller.account, now: at }));
    });
  });
};

const TYPES = 'Send application/json, or text/plain with one address a line.';

/** Bodies stay bytes: a step reads them, so that what is wrong with them comes in its place in the order of checks. */
function takeBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  for (const [type, form] of [
    ['application/json', 'json'],
    ['text/plain', 'lines'],
  ] as const)
    scope.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (_request, bytes, done) => done(null, { form, bytes } satisfies IpBatchBody));
}

/** A body that was not read counts in the minute like any input that is refused; what was refused before the minute had its turn keeps its answer. */
async function countOnce(error: FastifyError, exchange: Exchange, services: HttpServices): Promise<void> {
  if (error instanceof Problem && error.code !== 'unsupported_media_type') return await countRefusal(exchange, services);
  if (exchange.caller === undefined) return;
  await chargeAddresses(exchange, services);
}

async function finish({ exchange, headers }: FastifyRequest, reply: FastifyReply, services: HttpServices, answer: IpBatchAnswer): Promise<Buffer> {
  await giveBackUnanswered(exchange, services, answer.billable);
  if (answer.degraded) reply.header('X-Pulse-Degraded', '1');
  const asLines = asksForLines(headers.accept);
  reply.type(asLines ? `${LINES_TYPE}; charset=utf-8` : JSON_TYPE);
  return asLines ? batchLines(answer) : batchDocument(answer);
}

/** Lines are sent to those who name the type; a wildcard gets the document. */
const asksForLines = (accept: string | undefined): boolean =>
  accept?.split(',').some((range) => range.split(';', 1)[0]!.trim().toLowerCase() === LINES_TYPE) ?? false;
