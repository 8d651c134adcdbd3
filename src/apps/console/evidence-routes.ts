import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeTimeline } from '../../service/lookup/describe-timeline.ts';
import type { PulseLookup, PulseQuery, PulseText } from '../../service/lookup/lookup-pulse.ts';
import type { HistoryTimeline } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { sessionOf } from './session/session-of.ts';

export interface EvidenceRoutesOptions {
  readonly pulse: Pick<PulseLookup, 'lookup'>;
  /** Undefined if this deployment keeps no history; timelines then have no past. */
  readonly history: HistoryTimeline | undefined;
}

/**
 * Professional view for a signed-in browser, below /console/api. Each request costs the account one lookup.
 *
 *     GET /pulse/{ip}?at=        the document of GET /pulse/v1/ip/{ip}, under the same rules
 *     GET /pulse/{ip}/timeline   that document for now, with the course of the score: all that opening an
 *                                address needs
 */
export function evidenceRoutes(app: FastifyInstance, { pulse, history }: EvidenceRoutesOptions): void {
  const answerOf = async (query: PulseQuery): Promise<PulseText> => {
    const answer = await pulse.lookup(query);
    if (answer === undefined) throw new Problem('not_found', { message: 'No record of this address.' });
    return answer;
  };

  app.get('/console/api/pulse/:ip', async (request, reply) => sendJson(reply, await answerOf(questionOf(request))));

  app.get('/console/api/pulse/:ip/timeline', async (request, reply) => {
    const question = questionOf(request);
    const answer = await answerOf(question);
    const course = await describeTimeline(history, question);
    return sendJson(reply, { ...answer, json: `{"answer":${answer.json},${JSON.stringify(course).slice(1)}` });
  });
}

/** Collects the results of the route's steps, which have read, checked and charged the request. */
function questionOf(request: FastifyRequest): PulseQuery {
  const { view, address, at, moment } = request.exchange;
  return { view: view!, address: address!, account: sessionOf(request).account, now: at, moment };
}

function sendJson(reply: FastifyReply, { json, degraded }: PulseText): FastifyReply {
  if (degraded) reply.header('X-Pulse-Degraded', '1');
  return reply.type('application/json; charset=utf-8').send(json);
}
