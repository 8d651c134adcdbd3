import { answerIpBatch } from '../http/lane/answer-ip-batch.ts';
import type { HttpPlugin } from '../http/step.ts';
import { countRefusal } from '../http/steps/charge.ts';

/**
 * POST /console/api/ip/batch: a batch of lookups for a signed-in browser, with documents of the account's
 * data tier.
 */
export const ipBatchRoute: HttpPlugin = async (app, { services }) => {
  await app.register(async (scope) => {
    // The body is read after the steps have identified the caller.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler(async (error, { exchange }) => {
      await countRefusal(exchange, services);
      throw error;
    });
    scope.post('/console/api/ip/batch', async ({ exchange }, reply) => {
      const tier = exchange.session?.account.dataTier === 'professional' ? 'professional' : 'basic';
      const answer = await answerIpBatch(exchange, services, reply.raw, { tier, takesMoment: false });
      const { bytes, type, degraded } = answer!;
      if (degraded) reply.header('X-Pulse-Degraded', '1');
      return reply.type(type).send(bytes);
    });
  });
};
