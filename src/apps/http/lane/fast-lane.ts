import type { IncomingMessage, ServerResponse } from 'node:http';
import { VERSION } from '../../../config.ts';
import { queryValue } from '../../../core/caller/query.ts';
import { REQUEST_MS, withDeadline } from '../../../service/deadline.ts';
import { lookupIp } from '../../../service/lookup/lookup-ip.ts';
import type { PulseText } from '../../../service/lookup/lookup-pulse.ts';
import { Problem } from '../../../service/problem.ts';
import { answerProblem } from '../answer/answer-problem.ts';
import { EXPOSED_HEADERS, type FlatHeaders, JSON_TYPE, quotaLines } from '../answer/reply-headers.ts';
import { COUNTED } from '../answer/request-counts.ts';
import type { Relay } from '../connection/app-pipe.ts';
import { Exchange } from '../exchange.ts';
import { LANGUAGE_HEADERS, wantsPage } from '../pages/page-language.ts';
import type { HttpServices } from '../services.ts';
import { runSteps, type Step } from '../step.ts';
import { countRefusal, giveBack, takeCost } from '../steps/charge.ts';
import { mayBeSession } from '../steps/identify-caller.ts';
import { requireHost } from '../steps/require.ts';
import { answerDecide, DECIDE_METHODS, DECIDE_PATH } from './answer-decide.ts';
import { answerIpBatch } from './answer-ip-batch.ts';
import { LOOKUP_CHAINS } from './lookup-chains.ts';
import { plainPath } from './plain-path.ts';
import type { ResponseBatch } from './response-batch.ts';

const BASIC_PATH = '/v1/ip/';
const PULSE_PATH = '/pulse/v1/ip/';
/** Takes many addresses in a body; to GET this segment is a text that is not an address. */
const BATCH = 'batch';
/**
 * A lookup thread reads batches up to this size, a thousand addresses of any kind. A longer body, or one
 * without a length, would hold it.
 */
const BATCH_BYTES = 64 * 1024;

interface Route {
  readonly counted: number;
  readonly path: string;
  readonly steps: readonly Step[];
  readonly allow: string;
  /** Pages of any origin may read answers of the basic endpoint (interface, general rule 6). */
  readonly open: boolean;
  readonly okLines: string;
  readonly lookup: (
    exchange: Exchange,
    services: HttpServices,
  ) => PulseText | undefined | Promise<PulseText | undefined>;
}

const MORE_LINES = 'Cache-Control: no-store\r\nX-Request-Id: ';
export const OK_LINES = `Content-Type: ${JSON_TYPE}\r\n${MORE_LINES}`;

const BASIC: Route = {
  counted: COUNTED.indexOf('ip'),
  path: BASIC_PATH,
  steps: LOOKUP_CHAINS.ip,
  allow: 'GET, HEAD, OPTIONS',
  open: true,
  okLines: `Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ${EXPOSED_HEADERS}\r\n${OK_LINES}`,
  lookup: ({ view, address, at }) => {
    const json = lookupIp(view!, address!, at);
    return json === undefined ? undefined : { json, degraded: view!.degraded };
  },
};

const PULSE: Route = {
  counted: COUNTED.indexOf('pulse'),
  path: PULSE_PATH,
  steps: LOOKUP_CHAINS.pulse,
  allow: 'GET, HEAD',
  open: false,
  okLines: OK_LINES,
  lookup: ({ view, address, at, moment, caller }, { pulse }) => {
    if (caller?.kind !== 'key') throw new Problem('key_required');
    return pulse.lookup({ view: view!, address: address!, account: caller.account, now: at, moment });
  },
};

/** Monitoring asks these. A browser gets a page, which the app thread makes. */
const PROBE = {
  counted: COUNTED.indexOf('other'),
  steps: [takeCost('fixed')],
  allow: 'GET, HEAD',
  open: false,
  okLines: `Vary: Accept, ${LANGUAGE_HEADERS}\r\n${OK_LINES}`,
} satisfies Partial<Route>;

const READY = {
  ...PROBE,
  path: '/readyz',
  lookup: ({ view }, { storesAway }) => {
    if (view === undefined) throw new Problem('not_ready');
    const { risk, geo } = view.dataVersion;
    const away = storesAway?.() ?? [];
    const unwritten = away.includes('ledger');
    const state = {
      status: 'ready',
      version: VERSION,
      degraded: view.degraded || away.length > 0,
      data_version: { risk, geo },
      ...(unwritten && { charges_unwritten: true }),
    };
    return { json: JSON.stringify(state), degraded: false };
  },
} satisfies Route;

/** GET /healthz says whether the process is alive, and the same as `READY` once lookups are answered. */
const HEALTH: Route = {
  ...PROBE,
  path: '/healthz',
  lookup: (exchange, services) =>
    exchange.view === undefined
      ? { json: JSON.stringify({ status: 'starting', version: VERSION }), degraded: false }
      : READY.lookup(exchange, services),
};

/** No page of another origin may send a batch (decisions 10.1). */
interface BatchRoute extends Route {
  readonly tier: 'basic' | 'professional';
}
const BASIC_BATCH: BatchRoute = {
  ...BASIC,
  counted: COUNTED.indexOf('ip-batch'),
  steps: LOOKUP_CHAINS['ip-batch'],
  open: false,
  tier: 'basic',
};
const PULSE_BATCH: BatchRoute = {
  ...PULSE,
  counted: COUNTED.indexOf('pulse-batch'),
  steps: LOOKUP_CHAINS['pulse-batch'],
  tier: 'professional',
};

const READS = ['GET', 'HEAD'];

export type FastLane = (request: IncomingMessage, response: ServerResponse) => boolean;

class Lane {
  readonly #services: HttpServices;
  readonly #batch: ResponseBatch;
  readonly #nextId: () => string;
  readonly #relay: Relay | undefined;

  constructor(services: HttpServices, batch: ResponseBatch, nextId: () => string, relay?: Relay) {
    this.#services = services;
    this.#batch = batch;
    this.#nextId = nextId;
    this.#relay = relay;
  }

  #exchangeOf(request: IncomingMessage, query: string, segment: string): Exchange {
    const now = this.#services.clock.now();
    return new Exchange(request, now, this.#nextId(), { query, segment }, this.#services.view());
  }

  #takeProbe(probe: Route, target: string, request: IncomingMessage, response: ServerResponse): boolean {
    const [path, query = ''] = target.split('?', 2);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (path !== probe.path || !isRead || wantsPage(request.headers)) return false;
    const exchange = this.#exchangeOf(request, query, '');
    this.#batch.counts.begin(response, exchange.requestId);
    this.#serve(probe, exchange, response);
    return true;
  }

  /** A proxy's own path and query follow below the path and are not read. */
  #takeDecide(target: string, request: IncomingMessage, response: ServerResponse): boolean {
    if (!target.startsWith(DECIDE_PATH)) return false;
    const [path, query = ''] = target.split('?', 2);
    const isPlain = path === DECIDE_PATH;
    if (!isPlain && !path!.startsWith(`${DECIDE_PATH}/`)) return false;
    if (!(isPlain ? READS : DECIDE_METHODS).includes(request.method!)) return false;
    const exchange = this.#exchangeOf(request, isPlain ? query : '', '');
    this.#batch.counts.begin(response, exchange.requestId);
    withDeadline(REQUEST_MS, () => answerDecide(exchange, this.#services, this.#batch, response));
    return true;
  }

  #serve(route: Route, exchange: Exchange, response: ServerResponse): void {
    try {
      requireHost(exchange);
      const waiting = runSteps(route.steps, exchange, this.#services);
      const answer =
        waiting === undefined
          ? route.lookup(exchange, this.#services)
          : waiting.then(() => route.lookup(exchange, this.#services));
      if (answer instanceof Promise) {
        answer
          .then((text) => this.#finish(text, route, exchange, response))
          .catch((error) => this.#fail(error, route, exchange, response));
      } else this.#finish(answer, route, exchange, response);
    } catch (error) {
      this.#fail(error, route, exchange, response);
    }
  }

  #serveBatch(route: BatchRoute, exchange: Exchange, response: ServerResponse): void {
    const startedAt = performance.now();
    const { tier } = route;
    const relay = this.#relay;
    const callProvider = relay && ((body: Buffer): void => relay(exchange.request, response, body));
    const rules = { tier, takesMoment: tier === 'professional', ...(callProvider && { callProvider }) };
    const admitted = withDeadline(REQUEST_MS, async () => {
      requireHost(exchange);
      await runSteps(route.steps, exchange, this.#services);
    });
    admitted
      .then(() => answerIpBatch(exchange, this.#services, response, rules))
      .then((reply) => {
        if (reply === undefined) return;
        this.#batch.counts.begin(response, exchange.requestId, startedAt);
        this.#batch.counts.end(response, route.counted, 200);
        const lines = `Content-Type: ${reply.type}\r\n${MORE_LINES}`;
        this.#batch.answerOk(response, okLines(lines, exchange, reply.degraded), reply.bytes);
      })
      .catch((error) => {
        this.#batch.counts.begin(response, exchange.requestId, startedAt);
        this.#fail(error, route, exchange, response);
      });
  }

  #finish(answer: PulseText | undefined, route: Route, exchange: Exchange, response: ServerResponse): void {
    if (answer === undefined) throw new Problem('not_found', { message: 'No record for this address.' });
    this.#batch.counts.end(response, route.counted, 200);
    this.#batch.answerOk(response, okLines(route.okLines, exchange, answer.degraded), answer.json);
  }

  /**
   * A request that fails costs nothing of the day: its charge goes back before the answer leaves. A refused
   * one still costs the minute.
   */
  #fail(error: unknown, route: Route, exchange: Exchange, response: ServerResponse): void {
    const refuse = (fault: unknown): void => {
      const answer = answerProblem(fault, exchange, this.#services.log);
      const headers = headOf(route, exchange);
      for (const item of answer.headers) headers.push(item);
      if (answer.status === 405) headers.push('Allow', allowOf(route, exchange.segment));
      this.#batch.counts.end(response, route.counted, answer.status);
      this.#batch.counts.failed(response, answer.code);
      this.#batch.answer(response, answer.status, headers, answer.body);
    };
    const waiting =
      error instanceof Problem && exchange.minute === undefined && route !== READY
        ? countRefusal(exchange, this.#services)
        : giveBack(exchange, this.#services);
    if (waiting === undefined) refuse(error);
    else waiting.then(() => refuse(error), refuse);
  }

  #preflight(exchange: Exchange, response: ServerResponse): void {
    const headers = headOf(BASIC, exchange);
    for (const [name, value] of PREFLIGHT) headers.push(name, value);
    headers.push('Allow', allowOf(BASIC, exchange.segment));
    this.#batch.counts.end(response, BASIC.counted, 204);
    this.#batch.answer(response, 204, headers, undefined);
  }

  take(request: IncomingMessage, response: ServerResponse): boolean {
    const target = pathOf(request.url!);
    const probe = target.startsWith(HEALTH.path) ? HEALTH : target.startsWith(READY.path) ? READY : undefined;
    if (probe !== undefined) return this.#takeProbe(probe, target, request, response);
    const route = target.startsWith(BASIC_PATH) ? BASIC : target.startsWith(PULSE_PATH) ? PULSE : undefined;
    if (route === undefined) return this.#takeDecide(target, request, response);
    const mark = target.indexOf('?', route.path.length);
    const segment = mark < 0 ? target.slice(route.path.length) : target.slice(route.path.length, mark);
    // An empty or further path segment is another path, which does not exist.
    if (segment === '' || segment.includes('/')) return false;
    const method = request.method;
    const exchange = this.#exchangeOf(request, mark < 0 ? '' : target.slice(mark + 1), segment);
    if (this.#relay !== undefined && needsStores(route, exchange)) return false;
    if (segment === BATCH && method === 'POST') {
      if (this.#relay !== undefined && !(Number(request.headers['content-length']) <= BATCH_BYTES)) return false;
      this.#serveBatch(route === BASIC ? BASIC_BATCH : PULSE_BATCH, exchange, response);
      return true;
    }
    this.#batch.counts.begin(response, exchange.requestId);
    const answer = (): void => this.#serve(route, exchange, response);
    if (method === 'GET' || method === 'HEAD') mark < 0 ? answer() : withDeadline(REQUEST_MS, answer);
    else if (method === 'OPTIONS' && route.open && segment !== BATCH) this.#preflight(exchange, response);
    else
      this.#fail(
        new Problem('method_not_allowed'),
        segment === BATCH ? { ...route, open: false } : route,
        exchange,
        response,
      );
    return true;
  }
}

/**
 * Answers the two lookup endpoints, their batches, GET /healthz and /readyz without a framework. It takes a request,
 * or returns false and leaves it alone.
 * @param nextId gives the X-Request-Id
 * @param relay to the thread with the stores, which answers lookups of the past and of signed-in browsers,
 * and long batches
 */
export function createFastLane(
  services: HttpServices,
  batch: ResponseBatch,
  nextId: () => string,
  relay?: Relay,
): FastLane {
  const lane = new Lane(services, batch, nextId, relay);
  return (request, response) => lane.take(request, response);
}

/** Only the app thread has the evidence store (`at`) and the sessions. */
const needsStores = (route: Route, { query, headers }: Exchange): boolean =>
  route === PULSE ? query !== '' && queryValue(query, 'at') !== undefined : mayBeSession(headers.cookie);

/**
 * Returns the path and query of a request target, for every lane. The absolute form that proxies send must be
 * understood (RFC 9112, 3.2.2), and percent-encoded letters or digits are the same path as plain ones (RFC
 * 3986, 6.2.2.2).
 */
export function pathOf(url: string): string {
  if (url.charCodeAt(0) === 47) return plainPath(url);
  const rest = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '');
  return plainPath(rest.charCodeAt(0) === 47 ? rest : `/${rest}`);
}

export function lookupMethods(target: string): string | undefined {
  const route = target.startsWith(BASIC_PATH) ? BASIC : target.startsWith(PULSE_PATH) ? PULSE : undefined;
  const segment = route === undefined ? '' : target.slice(route.path.length).split('?', 1)[0]!;
  return segment === '' || segment.includes('/') ? undefined : allowOf(route!, segment);
}

const allowOf = ({ allow }: Route, segment: string): string => (segment === BATCH ? 'GET, HEAD, POST' : allow);

/**
 * Continues the head of a 200 after its first lines, which end with `X-Request-Id: `. Nothing in it comes
 * from the caller's text.
 */
export function okLines(first: string, exchange: Exchange, degraded: boolean): string {
  const lines = `${first}${exchange.requestId}\r\n${quotaLines(exchange)}`;
  return degraded ? `${lines}X-Pulse-Degraded: 1\r\n` : lines;
}

const headOf = ({ open }: Route, { requestId }: Exchange): FlatHeaders =>
  open ? ['X-Request-Id', requestId, ...OPEN] : ['X-Request-Id', requestId];

const OPEN = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', EXPOSED_HEADERS] as const;

const PREFLIGHT = [
  ['Access-Control-Allow-Methods', 'GET, HEAD, OPTIONS'],
  // The star means every header but Authorization, and some browsers do not know it.
  ['Access-Control-Allow-Headers', 'X-API-Key, Authorization, Content-Type, X-Requested-With, *'],
  ['Access-Control-Max-Age', '86400'],
] as const;
