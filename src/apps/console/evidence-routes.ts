import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { unixMs } from '../../core/units.ts';
import { describeChanges } from '../../service/lookup/describe-changes.ts';
import { describeTimeline } from '../../service/lookup/describe-timeline.ts';
import type { ExplainLookup } from '../../service/lookup/explain-lookup.ts';
import type { PulseLookup, PulseQuery, PulseText } from '../../service/lookup/lookup-pulse.ts';
import type { OverrideStore } from '../../service/overrides/overrides.ts';
import type { HistoryTimeline } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { sessionOf } from './session/session-of.ts';

export interface EvidenceRoutesOptions {
  readonly pulse: Pick<PulseLookup, 'lookup'>;
  readonly explaining: Pick<ExplainLookup, 'explain'>;
  /** Undefined if this deployment keeps no history; timelines then have no past. */
  readonly history: HistoryTimeline | undefined;
  readonly overrides: Pick<OverrideStore, 'all'>;
}

/**
 * Professional view for a signed-in browser, below /console/api. Each request costs the account one lookup.
 *
 *     GET /pulse/{ip}?at=        the documents of GET /pulse/v1/ip/{ip} and of its explanation
 *     GET /pulse/{ip}/timeline   those for now, with the course of the score: all that opening an address needs
 */
export function evidenceRoutes(
  app: FastifyInstance,
  { pulse, explaining, history, overrides }: EvidenceRoutesOptions,
): void {
  const explained = async (question: PulseQuery) => {
    const answer = await pulse.lookup(question);
    if (answer === undefined) throw new Problem('not_found', { message: 'No record of this address.' });
    return { answer, explanation: (await explaining.explain(question)).document };
  };

  app.get('/console/api/pulse/:ip', async (request, reply) => {
    const { answer, explanation } = await explained(questionOf(request));
    return sendWith(reply, answer, { explanation });
  });

  app.get('/console/api/pulse/:ip/timeline', async (request, reply) => {
    const query = questionOf(request);
    const { answer, explanation } = await explained(query);
    const course = await describeTimeline(history, { ...query, leaves: explanation.leaves });
    const { view, address, account, now } = query;
    const from = unixMs(Date.parse(course.window_from));
    const kinds =
      history !== undefined && course.past.length > 0
        ? await describeChanges(history, await overrides.all(), {
            view,
            address,
            account,
            from,
            to: now,
            windowFrom: from,
          })
        : undefined;
    return sendWith(reply, answer, { explanation, ...course, ...(kinds !== undefined && { kinds }) });
  });
}

function questionOf(request: FastifyRequest): PulseQuery {
  const { view, address, at, moment } = request.exchange;
  return { view: view!, address: address!, account: sessionOf(request).account, now: at, moment };
}

function sendWith(reply: FastifyReply, { json, degraded }: PulseText, more: object): FastifyReply {
  if (degraded) reply.header('X-Pulse-Degraded', '1');
  return reply.type('application/json; charset=utf-8').send(`{"answer":${json},${JSON.stringify(more).slice(1)}`);
}
