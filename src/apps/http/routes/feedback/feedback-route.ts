import { createHmac, randomBytes } from 'node:crypto';
import { formatAddress } from '../../../../core/ip/format-address.ts';
import { clientCounters, LIMITS } from '../../../../core/limits/limits.ts';
import { type FeedbackStore, receiveFeedback } from '../../../../service/feedback/feedback-store.ts';
import { admit, type Limiter } from '../../../../service/limiter.ts';
import type { ExplainLookup } from '../../../../service/lookup/explain-lookup.ts';
import { newId } from '../../../../service/new-id.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../step.ts';
import { idempotencyKeyOf } from '../evidence/evidence-route.ts';

const BODY_LIMIT_BYTES = 16 * 1024;

/** POST /v1/feedback (decisions 10.7): a caller reports that a verdict is wrong. */
export const feedbackRoute =
  (store: FeedbackStore, lookup: Pick<ExplainLookup, 'explain'>, limiter: Limiter, secret: Uint8Array): HttpPlugin =>
  (app) => {
    app.post('/v1/feedback', { bodyLimit: BODY_LIMIT_BYTES }, async ({ exchange, body, headers }, reply) => {
      const { view, at, caller, client } = exchange;
      if (view === undefined) throw new Problem('not_ready');
      const account = caller?.kind === 'key' || caller?.kind === 'user' ? caller.account.id : undefined;
      const name = idempotencyKeyOf(headers['idempotency-key']);
      if (account === undefined) await admit(limiter, clientCounters('feedback', LIMITS.feedback, client!), at);
      // What one sender sends again under one name has one id, which tells neither.
      const sent = createHmac('sha256', secret)
        .update(`${account ?? formatAddress(client!)} ${name}`)
        .digest();
      const id = newId('fbk', (bytes) => (name === undefined ? randomBytes(bytes) : sent.subarray(0, bytes)));
      await receiveFeedback(store, lookup, body, { id, account, view, at });
      reply.code(202);
      return { id };
    });
  };
