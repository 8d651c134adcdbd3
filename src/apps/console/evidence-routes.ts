import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Timeline, TimelinePoint } from '../../contract/timeline.ts';
import type { Account } from '../../core/caller/caller.ts';
import { parsePathAddress } from '../../core/ip/parse-path-address.ts';
import { explain } from '../../core/risk/explain.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import { DAY_MS, HOUR_MS, type UnixMs, unixMs } from '../../core/units.ts';
import { isoTime } from '../../service/iso-time.ts';
import { HISTORY_DAYS, type PulseQuestion, type PulseText, readHistory } from '../../service/lookup-pulse.ts';
import type { HistoryStore, LookupView } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import type { HttpServices } from '../http/services.ts';
import { chargeAllowance } from '../http/steps/charge-allowance.ts';
import { readMoment } from '../http/steps/read-moment.ts';
import { enterAsUser } from './enter-as-user.ts';
import type { SessionGuard } from './session/session-guard.ts';

export interface EvidenceAppDependencies {
  readonly guard: SessionGuard;
  readonly services: HttpServices;
  /** Undefined: this deployment keeps no history, and the timeline has no past. */
  readonly history: Pick<HistoryStore, 'observationsAt' | 'earliest'> | undefined;
}

/** Points of each half of the timeline. */
const POINTS = 120;

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
    const network = view.network(address);
    const live = view.observations(address);
    const told = explain(live, network, address.family, exchange.at, SCORE_PARAMETERS);
    const pointOf = (observations: typeof live, at: UnixMs): TimelinePoint => {
      const { score, state } = verdict(observations, network, address.family, at, SCORE_PARAMETERS);
      return { at: isoTime(at), score, state };
    };
    const from = Math.max(exchange.at - (account.historyDays ?? HISTORY_DAYS) * DAY_MS, (await readHistory(() => history?.earliest())) ?? exchange.at);
    const past: TimelinePoint[] = [];
    if (history !== undefined && address.family === 4)
      for (const at of evenly(from, exchange.at, POINTS)) past.push(pointOf(await readHistory(() => history.observationsAt(address, at)), at));
    const future = told.zeroAt === undefined ? [] : evenly(exchange.at, told.zeroAt, POINTS).map((at) => pointOf(live, at));
    const exits = (
      [
        [70, told.below70At],
        [30, told.below30At],
        [1, told.zeroAt],
      ] as const
    ).flatMap(([below, at]) => (at === undefined ? [] : [{ below, at: isoTime(account.dpa ? at : nextHour(at)) }]));
    const course: Omit<Timeline, 'answer'> = { window_from: isoTime(unixMs(from)), past, future, exits };
    return sendJson(reply, { ...answer, json: `{"answer":${answer.json},${JSON.stringify(course).slice(1)}` });
  });
}

function sendJson(reply: FastifyReply, { json, degraded }: PulseText): FastifyReply {
  if (degraded) reply.header('X-Pulse-Degraded', '1');
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(json);
}

/** Without a data-processing agreement exact times are withheld, and a capture's time follows from the moment its score leaves a band. */
const nextHour = (at: UnixMs): UnixMs => unixMs(Math.ceil(at / HOUR_MS) * HOUR_MS);

/** Whole milliseconds from `from` to `to`, both included. */
const evenly = (from: number, to: number, points: number): readonly UnixMs[] =>
  Array.from({ length: points + 1 }, (_, index) => unixMs(Math.round(from + ((to - from) * index) / points)));

async function keepFault(exchange: { fault: Problem | undefined }, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    exchange.fault = error;
  }
}
