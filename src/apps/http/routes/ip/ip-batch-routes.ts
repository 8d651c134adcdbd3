import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IP_BATCH_BODY_MAX_BYTES } from '../../../../contract/ip-batch.ts';
import {
  type IpBatchAnswer,
  type IpBatchOutput,
  lookupIps,
  lookupPulses,
} from '../../../../service/lookup/lookup-ips.ts';
import type { IpBatchBody } from '../../../../service/lookup/read-ip-batch.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../create-app.ts';
import type { Exchange } from '../../exchange.ts';
import { JSON_TYPE } from '../../reply-headers.ts';
import type { HttpServices } from '../../services.ts';
import { countRefusal } from '../../steps/charge.ts';
import { chargeAddresses, giveBackUnanswered } from '../../steps/charge-addresses.ts';
import { WriterPool } from '../../writer-pool.ts';

const LINES_TYPE = 'application/x-ndjson';

/**
 * POST /v1/ip/batch and POST /pulse/v1/ip/batch: up to 1,000 look-ups in one request, an extension of the interface (decisions 10.1). The steps have read and
 * charged when a handler runs; what got no verdict is given back before the answer leaves. POST /console/api/ip/batch is the same for a signed-in browser, with the
 * document of the account's data tier.
 */
export const ipBatchRoutes: HttpPlugin = async (app, { services }) => {
  await app.register(async (scope) => {
    takeBodies(scope);
    scope.setErrorHandler<FastifyError>(async (error, { exchange }) => {
      if (exchange.minute === undefined) await countOnce(error, exchange, services);
      throw error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
        ? new Problem('unsupported_media_type', { message: TYPES, cause: error })
        : error;
    });
    const options = { bodyLimit: IP_BATCH_BODY_MAX_BYTES };
    const writers = new WriterPool();
    scope.post('/v1/ip/batch', options, async (request, reply) => {
      const { addresses, view, at } = request.exchange;
      const answer = await lookupIps(addresses!, view!, at, outputOf(request.headers, reply, writers));
      return await finish(request, reply, services, answer);
    });
    scope.post('/pulse/v1/ip/batch', options, async (request, reply) => {
      const { addresses, view, at, caller } = request.exchange;
      if (caller?.kind !== 'key') throw new Problem('key_required');
      const question = { view: view!, account: caller.account, now: at };
      const answer = await lookupPulses(
        addresses!,
        services.pulse,
        question,
        outputOf(request.headers, reply, writers),
      );
      return await finish(request, reply, services, answer);
    });
    scope.post('/console/api/ip/batch', options, async (request, reply) => {
      const { addresses, view, at, session } = request.exchange;
      if (session === undefined) throw new Problem('sign_in_required');
      const { account } = session;
      const question = { view: view!, account, now: at };
      const output = outputOf(request.headers, reply, writers);
      const isProfessional = account.dataTier === 'professional';
      const answer = isProfessional
        ? await lookupPulses(addresses!, services.pulse, question, output)
        : await lookupIps(addresses!, view!, at, output);
      return await finish(request, reply, services, answer);
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
    scope.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (_request, bytes, done) =>
      done(null, { form, bytes } satisfies IpBatchBody),
    );
}

/** A body that was not read counts in the minute like any input that is refused; what was refused before the minute had its turn keeps its answer. */
async function countOnce(error: FastifyError, exchange: Exchange, services: HttpServices): Promise<void> {
  if (error instanceof Problem && error.code !== 'unsupported_media_type')
    return await countRefusal(exchange, services);
  if (exchange.caller === undefined) return;
  await chargeAddresses(exchange, services);
}

/** How a request's answer is written: in the form it asks for, into memory that is used again once it was sent. */
const outputOf = (headers: FastifyRequest['headers'], reply: FastifyReply, writers: WriterPool): IpBatchOutput => ({
  form: asksForLines(headers.accept) ? 'lines' : 'document',
  writer: writers.takeFor(reply.raw),
});

async function finish(
  { exchange, headers }: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  answer: IpBatchAnswer,
): Promise<Buffer> {
  await giveBackUnanswered(exchange, services, answer.billable);
  if (answer.degraded) reply.header('X-Pulse-Degraded', '1');
  reply.type(asksForLines(headers.accept) ? `${LINES_TYPE}; charset=utf-8` : JSON_TYPE);
  const { buffer, byteOffset, length } = answer.bytes;
  return Buffer.from(buffer, byteOffset, length);
}

/** Lines are sent to those who name the type; a wildcard gets the document. */
const asksForLines = (accept: string | undefined): boolean =>
  accept?.split(',').some((range) => range.split(';', 1)[0]!.trim().toLowerCase() === LINES_TYPE) ?? false;
