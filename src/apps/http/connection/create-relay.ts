import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CostClass } from '../../../core/limits/limits.ts';
import { Problem } from '../../../service/problem.ts';
import { answerProblem } from '../answer/answer-problem.ts';
import { COUNTED, countedAs } from '../answer/request-counts.ts';
import { Exchange } from '../exchange.ts';
import { pathOf } from '../lane/fast-lane.ts';
import type { ResponseBatch } from '../lane/response-batch.ts';
import { wantsPage } from '../pages/page-language.ts';
import { routeFinder } from '../route-finder.ts';
import type { Route } from '../routes.ts';
import type { HttpServices } from '../services.ts';
import { takeCost } from '../steps/charge.ts';
import { identifyClient } from '../steps/identify-caller.ts';
import { AppPipe, type Relay } from './app-pipe.ts';

export interface RelayOptions {
  readonly services: HttpServices;
  readonly batch: ResponseBatch;
  readonly nextId: () => string;
  readonly routes: readonly Route[];
  readonly relaysMax: number;
}

/** A request is counted in the class of its route before it takes a place in the pipe. */
export function createRelay({ services, batch, nextId, routes, relaysMax }: RelayOptions): {
  readonly relay: Relay;
  readonly pipe: AppPipe;
} {
  const find = routeFinder(routes);
  const exchangeOf = (request: IncomingMessage): Exchange =>
    new Exchange(request, services.clock.now(), nextId(), { query: '', segment: '' }, undefined);
  const answer = (error: unknown, exchange: Exchange, response: ServerResponse, counted = COUNTED.indexOf('other')) => {
    const { code, status, headers, body } = answerProblem(error, exchange, services.log);
    batch.counts.begin(response, exchange.requestId);
    batch.counts.end(response, counted, status);
    batch.counts.failed(response, code);
    batch.answer(response, status, ['X-Request-Id', exchange.requestId, ...headers], body);
  };
  const pipe = new AppPipe({
    relaysMax,
    clientOf: (request) => identifyClient(exchangeOf(request), services).client,
    log: services.log,
    refuse: ({ request, response }, problem) => answer(problem, exchangeOf(request), response),
  });

  const relay: Relay = (request, response, body) => {
    const route = find(request.method!, pathOf(request.url!));
    const cost = route && countedHere(route, request);
    if (cost === undefined) return pipe.hand({ request, response, body });
    const exchange = exchangeOf(request);
    const go = (): void => pipe.hand({ request, response, body, cost });
    const refuse = (error: unknown): void => {
      if (!(error instanceof Problem) || hasOwnWords(route!, request)) pipe.hand({ request, response, body });
      else answer(error, exchange, response, countedAs(route!.chain));
    };
    try {
      const waiting = takeCost(cost)(exchange, services);
      if (waiting === undefined) go();
      else waiting.then(go, refuse).catch((error) => services.log.error({ error }, 'a request was not relayed'));
    } catch (error) {
      refuse(error);
    }
  };
  return { relay, pipe };
}

/**
 * A lookup thread cannot count where passwords are asked for: a cookie may name a browser that counts apart,
 * which only the app thread knows.
 */
function countedHere({ cost }: Route, { headers, httpVersionMinor }: IncomingMessage): CostClass | undefined {
  if (cost === 'lookup' || (cost === 'hash' && headers.cookie !== undefined)) return undefined;
  // `requireHost` refuses it before it is counted.
  return headers.host === undefined && httpVersionMinor > 0 ? undefined : cost;
}

/** Pages, OAuth and the bouncer protocol word refusals their own way. */
const hasOwnWords = ({ file }: Route, { headers }: IncomingMessage): boolean =>
  file.startsWith('oauth/') || file.startsWith('http/routes/bouncer/') || wantsPage(headers);
