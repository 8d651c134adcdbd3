import { clientCounters, LIMITS } from '../../../../core/limits/limits.ts';
import type { FeedbackStore } from '../../../../service/feedback/feedback-store.ts';
import { receiveFeedback } from '../../../../service/feedback/receive-feedback.ts';
import { admit, type Limiter } from '../../../../service/limiter.ts';
import type { ExplainLookup } from '../../../../service/lookup/explain-lookup.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../step.ts';

const BODY_LIMIT_BYTES = 16 * 1024;

/** POST /v1/feedback (decisions 10.7): a caller reports that a verdict is wrong. */
export const feedbackRoute =
  (store: FeedbackStore, lookup: Pick<ExplainLookup, 'explain'>, limiter: Limiter): HttpPlugin =>
  (app) => {
    app.post('/v1/feedback', { bodyLimit: BODY_LIMIT_BYTES }, async ({ exchange, body }, reply) => {
      const { view, at, caller } = exchange;
      if (view === undefined) throw new Problem('not_ready');
      const account = caller?.kind === 'key' || caller?.kind === 'user' ? caller.account.id : undefined;
      if (account === undefined)
        await admit(limiter, clientCounters('feedback', LIMITS.feedback, exchange.client!), at);
      const id = await receiveFeedback(store, lookup, body, { account, view, at });
      reply.code(202);
      return { id };
    });
  };
