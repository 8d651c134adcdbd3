import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ConsoleFeedback, ConsoleFeedbackPage } from '../../contract/console.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import type { Feedback, FeedbackStore } from '../../service/feedback/feedback-store.ts';
import { isoTime } from '../../service/iso-time.ts';
import { addOverride, type OverrideStore } from '../../service/overrides/overrides.ts';
import type { Clock } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { bodyOf, byOperator, fieldsOf } from './session/session-of.ts';

export interface FeedbackRoutesOptions {
  readonly feedback: FeedbackStore;
  readonly overrides: OverrideStore;
  readonly clock: Clock;
}

const SHOWN_MAX = 200;

/**
 * The operators' inbox of feedback, below /console/api/operator.
 *
 *     GET  /feedback        {reports, sources}: open ones first, with the evidence as it stood
 *     POST /feedback        {outcome, account}: of all open ones of an account, or with null of those without one
 *     POST /feedback/{id}   {outcome: confirmed | rejected, override?: {reason, until}}: an override allows the
 *                           address, or denies it where evidence was missing
 */
export function feedbackRoutes(app: FastifyInstance, { feedback, overrides, clock }: FeedbackRoutesOptions): void {
  app.get('/console/api/operator/feedback', async (): Promise<ConsoleFeedbackPage> => {
    const [reports, sources] = await Promise.all([feedback.list(SHOWN_MAX), feedback.bySource()]);
    return {
      reports: reports.map(documentOf),
      sources: [...sources]
        .map(([source, counts]) => ({ source, ...counts }))
        .sort((a, b) => b.confirmed - a.confirmed),
    };
  });

  app.post('/console/api/operator/feedback', async (request): Promise<{ readonly decided: number }> => {
    const { account } = bodyOf(request);
    if (account !== null && typeof account !== 'string')
      throw new Problem('bad_request', { message: 'account must be the id of an account, or null.' });
    return { decided: await feedback.decideAll(account ?? undefined, outcomeOf(request), byOperator(request, clock)) };
  });

  app.post('/console/api/operator/feedback/:id', async (request): Promise<ConsoleFeedback> => {
    const { id } = request.params as { readonly id: string };
    const { override } = bodyOf(request);
    const outcome = outcomeOf(request);
    const by = byOperator(request, clock);
    const wanted = override === undefined ? undefined : readOverride(override);
    const report = (await feedback.list(SHOWN_MAX)).find((one) => one.id === id);
    if (report === undefined) throw new Problem('not_found', { message: 'There is no such report.' });
    if (wanted !== undefined) {
      const deny = report.verdict === 'false_negative' ? (report.riskType ?? 'proxy') : undefined;
      await addOverride(overrides, { prefix: report.ip, deny, ...wanted }, by);
    }
    const decided = await feedback.decide(id, outcome, by);
    if (decided === 'unknown_feedback') throw new Problem('not_found', { message: 'There is no such report.' });
    return documentOf(decided);
  });
}

function outcomeOf(request: FastifyRequest): 'confirmed' | 'rejected' {
  const { outcome } = bodyOf(request);
  if (outcome !== 'confirmed' && outcome !== 'rejected')
    throw new Problem('bad_request', { message: 'outcome must be confirmed or rejected.' });
  return outcome;
}

function readOverride(value: unknown) {
  const { reason, until } = fieldsOf(value);
  const end = typeof until === 'string' ? parseRfc3339(until) : undefined;
  if (typeof reason !== 'string' || end === undefined)
    throw new Problem('bad_request', { message: 'An override has a reason and until, an RFC 3339 date-time.' });
  return { reason, until: end };
}

const documentOf = ({
  id,
  at,
  account,
  ip,
  verdict,
  riskType,
  comment,
  explanation,
  outcome,
}: Feedback): ConsoleFeedback => ({
  id,
  at: isoTime(at),
  ip,
  verdict,
  outcome,
  explanation,
  ...(account !== undefined && { account }),
  ...(riskType !== undefined && { risk_type: riskType }),
  ...(comment !== undefined && { comment }),
});
