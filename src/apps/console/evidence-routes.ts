import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../../core/caller/caller.ts';
import { parsePathAddress } from '../../core/ip/parse-path-address.ts';
import type { PulseQuestion, PulseText } from '../../service/lookup-pulse.ts';
import type { HistoryStore, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { describeTimeline } from '../../service/timeline.ts';
import type { HttpServices } from '../http/services.ts';
import { chargeAllowance } from '../http/steps/charge-allowance.ts';
import { readMoment } from '../http/steps/read-moment.ts';
import { enterAsUser } from './enter-as-user.ts';
import type { SessionGuard } from './session/session-guard.ts';

export interface EvidenceAppDependencies {
  readonly guard: SessionGuard;
  readonly services: HttpServices;
  /** Undefined: this deployment keeps no history, and the timeline has no past. */
  readonly history: Pick<HistoryStore, 'observationsAtEach' | 'earliest'> | undefined;
}

/**
 * The professional view for a signed-in browser, below /console/api:
 *
 *     GET /pulse/{ip}?at=        the document of GET /pulse/v1/ip/{ip}, by the same rules, for one look-up of the account
 *     GET /pulse/{ip}/timeline   that document of now with how the score stood and how it will fall, for one look-up: all that opening an address shows
 */
export function evidenceRoutes(app: FastifyInstance, { guard, services, history }: EvidenceAppDependencies): void {
  const enter = async (request: FastifyRequest): Promise<{ readonly account: Account; readonly view: LookupView }> => {
    const account = await enterAsUser(request, guard, services);
    const { exchange } = request;
    if (account.dataTier !== 'professional') throw new Problem('professional_required');
    if (exchange.view === undefined) throw new Problem('not_ready');
    const parsed = parsePathAddress((request.params as { readonly ip: string }).ip);
    if (parsed.status === 'ok') exchange.address = parsed.address;
    else exchange.fault = new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
    return { account, view: exchange.view };
  };

  const answerOf = async (question: PulseQuestion): Promise<PulseText> => {
    const answer = await services.pulse.lookup(question);
    if (answer === undefined) throw new Problem('not_found', { message: 'No record of this address.' });
    return answer;
  };

  app.get('/console/api/pulse/:ip', async (request, reply) => {
    const { account, view } = await enter(request);
    const { exchange } = request;
    readMoment(exchange);
    const question = { view, address: exchange.address!, account, now: exchange.at, moment: exchange.moment };
    const { moment } = exchange;
    if (moment !== undefined && exchange.fault === undefined) await keepFault(exchange, () => services.pulse.checkMoment({ ...question, moment }));
    await chargeAllowance(exchange, services);
    return sendJson(reply, await answerOf(question));
  });

  app.get('/console/api/pulse/:ip/timeline', async (request, reply) => {
    const { account, view } = await enter(request);
    const { exchange } = request;
    await chargeAllowance(exchange, services);
    const address = exchange.address!;
    const answer = await answerOf({ view, address, account, now: exchange.at, moment: undefined });
    const course = await describeTimeline(history, { view, address, account, now: exchange.at });
    return sendJson(reply, { ...answer, json: `{"answer":${answer.json},${JSON.stringify(course).slice(1)}` });
  });
}

function sendJson(reply: FastifyReply, { json, degraded }: PulseText): FastifyReply {
  if (degraded) reply.header('X-Pulse-Degraded', '1');
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(json);
}

async function keepFault(exchange: { fault: Problem | undefined }, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}
