/**
 * Everything that is not the fast lane: fastify behind the same server, with the same steps and the same error writer.
 *
 * A route stands in routes.ts, and the steps of its chain run before its body is read:
 *
 *   export const meRoute: HttpPlugin = (app, { services }) => {
 *     app.get('/v1/me', (request) => {
 *       const { caller, at } = request.exchange;          // settled by the steps
 *       if (caller?.kind !== 'key') throw new Problem('key_required');
 *       return documentOf(caller.account, services.ledger.usage(`account:${caller.account.id}`, at));
 *     });
 *   };
 *
 * - Throw `Problem` for every refusal. X-Request-Id, the error body, Retry-After and the allowance headers are added here.
 * - Steps charge. A route whose handler throws after a charge gives it back by itself.
 * - An answer leaves after its charges are written, with all others of the turn. `config: { mustSettle: true }` refuses with quota_unavailable when they
 *   cannot be written; without it the answer leaves all the same.
 * - A request without a body has its stream ended already (`optimizeEmptyRequests`): code that reads `request.raw` itself tests `readableEnded` before
 *   waiting for 'end'.
 * - `config: { gzip: true }` lets a body with Content-Encoding: gzip through as it came; the route unpacks it, off this thread.
 * - `config: { unlisted: true }` marks routes that take no part in the search for a 405's Allow; `config: { file: true }` the site's built files.
 *   Neither needs a row in routes.ts.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerFactory,
  fastify,
  type RouteOptions,
} from 'fastify';
import type { ErrorBody } from '../../contract/documents.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { isOwnHost } from '../../core/caller/client-address.ts';
import { parseAnyAddress } from '../../core/ip/parse-address.ts';
import { contains } from '../../core/ip/prefix.ts';
import { BATCH_MS, deadlineEnds, REQUEST_MS, startDeadline } from '../../service/deadline.ts';
import { asProblem, Problem } from '../../service/problem.ts';
import { answerProblem } from './answer/answer-problem.ts';
import { type FlatHeaders, headersOf, protectiveLines, quotaLines } from './answer/reply-headers.ts';
import { countedAs } from './answer/request-counts.ts';
import { CHAINS, type ChainName } from './chains.ts';
import { peerAddress } from './connection/app-pipe.ts';
import { clientLeft } from './connection/client-left.ts';
import { Exchange } from './exchange.ts';
import type { KnownPaths } from './known-paths.ts';
import type { ResponseBatch } from './lane/response-batch.ts';
import { PAGE_HEADERS } from './pages/page.ts';
import { LANGUAGE_HEADERS, pageLanguage, wantsPage } from './pages/page-language.ts';
import { misdirectedPage, problemPage } from './pages/problem-page.ts';
import { ROUTES, type Route, type RouteCost } from './routes.ts';
import type { HttpServices } from './services.ts';
import { type HttpPlugin, runSteps } from './step.ts';
import { giveBack, takeCost } from './steps/charge.ts';
import { refuseEncoded, requireHost, takeEmpty } from './steps/require.ts';

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
  interface FastifyContextConfig {
    chain?: ChainName;
    cost?: RouteCost;
    page?: boolean;
    mustSettle?: boolean;
    gzip?: boolean;
    unlisted?: boolean;
    file?: boolean;
  }
}

/** A phone request may have this body (interface, Limits); plugins may set a smaller limit per route. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/**
 * Routes read bodies by readers of their own, so fastify's schema compilers, a hundred modules, stay
 * unloaded.
 */
const noSchemas = (): never => {
  throw new Error('a route has a schema of fastify, which nothing compiles here');
};

export interface AppOptions {
  readonly services: HttpServices;
  readonly batch: ResponseBatch;
  readonly nextId: () => string;
  readonly plugins: readonly HttpPlugin[];
  readonly paths: KnownPaths;
  readonly routes?: readonly Route[] | undefined;
  readonly serverFactory: FastifyServerFactory;
}

export async function createApp({
  services,
  batch,
  nextId,
  plugins,
  paths,
  routes = ROUTES,
  serverFactory,
}: AppOptions): Promise<FastifyInstance> {
  const app = fastify({
    serverFactory: (handler, options) => serverFactory(named(handler, nextId, services.baseUrl), options),
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    bodyLimit: BODY_LIMIT_BYTES,
    // The id of an app may be an address of 512 characters, percent-encoded.
    routerOptions: { maxParamLength: 3 * 512 },
    genReqId: (raw) => (raw as Named)[REQUEST_ID]!,
    return503OnClosing: false,
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      request.exchange = exchangeOf(request, services);
      writeProblem(error, request, reply, services, undefined);
    },
  });
  app.decorateRequest('exchange', null as unknown as Exchange);
  const readJson = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) =>
    text === '' ? done(null) : readJson(request, text as string, done),
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, takeEmpty);
  const listed = byRoute(routes);
  app.addHook('onRoute', (route) => {
    const row = rowOf(route, listed);
    if (row !== undefined)
      route.config = {
        ...route.config,
        ...(row.chain === undefined ? {} : { chain: row.chain }),
        cost: row.cost,
        page: PAGES_OF.has(row.file) || row.path.includes('/oauth/authorize'),
      };
    if (route.config?.unlisted !== true) paths.add(route.url, route.method);
  });
  app.addHook('onRequest', (_request, _reply, done) => {
    startDeadline(REQUEST_MS);
    done();
  });
  app.addHook('onRequest', async (request, reply) => {
    batch.counts.begin(reply.raw, request.id);
    // onResponse does not come for a client that leaves before its answer.
    onceOver(request.raw.socket, reply.raw, () => countEnd(request, reply, batch.counts));
    request.exchange = exchangeOf(request, services);
    requireHost(request.exchange);
    // The body is not examined yet: its faults come later in the order of checks (decisions 4.9).
    if (request.is404) throw new Problem(allowedAt(request, paths) === undefined ? 'not_found' : 'method_not_allowed');
    const { chain, cost, page } = request.routeOptions.config;
    if (page === true && !isAskedByName(request, services)) {
      const language = pageLanguageOf(request);
      return reply
        .code(421)
        .headers(PAGE_HEADERS)
        .header('Vary', LANGUAGE_HEADERS)
        .send(misdirectedPage(language, services.baseUrl));
    }
    if (cost !== undefined && cost !== 'lookup') await takeCost(cost)(request.exchange, services);
    if (chain !== undefined) await runSteps(CHAINS[chain].steps, request.exchange, services);
  });
  // The sender decides how long the body takes, so the time left before it is left after it.
  app.addHook('preHandler', ({ exchange, method, routeOptions: { url, config } }, _reply, done) => {
    const more = config.cost === 'hash' || url?.endsWith('/batch') ? BATCH_MS - REQUEST_MS : 0;
    if (method !== 'GET' && method !== 'HEAD') startDeadline(exchange.leftMs + more);
    done();
  });
  app.addHook('preHandler', async ({ exchange, body, routeOptions: { config } }) => {
    if (config.chain === undefined) return;
    exchange.body = body;
    await runSteps(CHAINS[config.chain].afterBody, exchange, services);
  });
  // A stream that ended without a byte emits nothing to a new reader, which would wait for a body that a
  // Content-Type announced.
  app.addHook('preParsing', async (request, _reply, payload) => {
    request.exchange.leftMs = deadlineEnds() - performance.now();
    refuseEncoded(request.headers['content-encoding'], request.routeOptions.config.gzip === true);
    return request.raw.readableEnded && isReadFor(request) ? Readable.from([]) : payload;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    await settle(request, batch);
    finishHeaders(request, reply);
    return payload;
  });
  // Some routes know more paths than they have, such as the site's files. The framework's own body would
  // quote the address.
  app.setNotFoundHandler(() => {
    throw new Problem('not_found');
  });
  app.setErrorHandler<FastifyError>(async (error, request, reply) => {
    await giveBack(request.exchange, services);
    return writeProblem(error, request, reply, services, paths);
  });
  for (const plugin of plugins) await plugin(app, { services });
  await app.ready();
  return app;
}

/** Routes in these files send pages, under this service's own name alone. */
const PAGES_OF: ReadonlySet<string> = new Set(['site/site-routes.ts', 'oauth/interaction-routes.ts']);

/**
 * Returns whether a page was asked for by a name of this service: that of the base URL, an address,
 * localhost. The owner of any other name can make it resolve to this machine (DNS rebinding). A trusted proxy
 * that uses another name states the original in X-Forwarded-Host; of several it wrote the last.
 */
function isAskedByName({ raw }: FastifyRequest, { baseUrl, trustedProxies }: HttpServices): boolean {
  const forwarded = headerText(raw.headers['x-forwarded-host']);
  const peer = forwarded === undefined ? undefined : parseAnyAddress(peerAddress(raw));
  const isProxied = peer !== undefined && trustedProxies.some((prefix) => contains(prefix, peer));
  const host = isProxied ? forwarded!.split(',').at(-1)!.trim() : raw.headers.host;
  return isOwnHost(host, [new URL(baseUrl).hostname]);
}

const headerText = (value: string | readonly string[] | undefined): string | undefined =>
  value === undefined || typeof value === 'string' ? value : value.join(',');

const pageLanguageOf = ({ url, headers }: FastifyRequest) => (/^\/en(\/|$)/.test(url) ? 'en' : pageLanguage(headers));

const keyOf = (method: string, path: string): string => `${method} ${path}`;

const byRoute = (routes: readonly Route[]): ReadonlyMap<string, Route> =>
  new Map(
    routes.flatMap((route) => route.methods.split(', ').map((method) => [keyOf(method, route.path), route] as const)),
  );

/** @throws Error for a route that routes.ts does not list, because it would have no steps */
function rowOf(
  { method, url, config }: RouteOptions & { readonly url: string },
  listed: ReadonlyMap<string, Route>,
): Route | undefined {
  const methods = (typeof method === 'string' ? [method] : method).filter((name) => name !== 'HEAD');
  const missing = methods.find((name) => !listed.has(keyOf(name, url)));
  if (missing !== undefined && config?.unlisted !== true && config?.file !== true)
    throw new Error(`${missing} ${url} is not in routes.ts`);
  return methods[0] === undefined ? listed.get(keyOf('GET', url)) : listed.get(keyOf(methods[0], url));
}

const REQUEST_ID = Symbol('request id');
type Named = IncomingMessage & { [REQUEST_ID]?: string };

/**
 * Sets X-Request-Id and the protective headers before anything can answer, even for text that a library
 * writes past the framework.
 */
function named(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  nextId: () => string,
  baseUrl: string,
) {
  const always = headersOf(protectiveLines(baseUrl));
  return (request: Named, response: ServerResponse): void => {
    const id = nextId();
    request[REQUEST_ID] = id;
    response.setHeader('X-Request-Id', id);
    for (let i = 0; i < always.length; i += 2) response.setHeader(always[i]!, always[i + 1]!);
    handler(request, response);
  };
}

function exchangeOf(request: FastifyRequest, services: HttpServices): Exchange {
  const mark = request.url.indexOf('?');
  const query = mark < 0 ? '' : request.url.slice(mark + 1);
  const { ip, network, bits } = (request.params ?? {}) as Readonly<Record<string, string | undefined>>;
  const segment = ip ?? (bits === undefined ? (network ?? '') : `${network}/${bits}`);
  return new Exchange(request.raw, services.clock.now(), request.id, { query, segment }, services.view());
}

/** A stream is a large object, and most requests have no use for one. */
const isReadFor = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' &&
  method !== 'HEAD' &&
  (headers['content-type'] !== undefined || headers['transfer-encoding'] !== undefined);

async function settle(request: FastifyRequest, batch: ResponseBatch): Promise<void> {
  if (request.exchange.minute === undefined && request.exchange.day === undefined) return;
  try {
    await batch.settled();
  } catch (cause) {
    if (request.routeOptions.config.mustSettle !== true) return;
    // The refusal passes here again on its way out: it has nothing to settle and shows no counters that were
    // not written.
    request.exchange.minute = undefined;
    request.exchange.day = undefined;
    throw new Problem('quota_unavailable', { cause });
  }
}

/** Runs after the handler, which may have set headers of its own. */
function finishHeaders(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.statusCode >= 300) return;
  setAll(reply, headersOf(quotaLines(request.exchange)));
  if (request.routeOptions.config.chain !== undefined && !reply.hasHeader('cache-control'))
    reply.header('Cache-Control', 'no-store');
}

const setAll = (reply: FastifyReply, headers: FlatHeaders): void => {
  for (let i = 0; i < headers.length; i += 2) reply.header(String(headers[i]), headers[i + 1]);
};

/**
 * An answer that waits behind another one of its connection does not hear of the connection's end, so unended
 * requests are kept here.
 */
const begun = new WeakMap<Socket, Set<() => void>>();

function onceOver(socket: Socket, response: ServerResponse, over: () => void): void {
  let open = begun.get(socket);
  if (open === undefined) {
    const all = new Set<() => void>();
    begun.set(socket, all);
    socket.once('close', () => setImmediate(() => all.forEach((end) => void end())));
    open = all;
  }
  const end = (): void => {
    if (open.delete(end)) over();
  };
  open.add(end);
  response.once('close', end);
}

function countEnd(
  { routeOptions: { config } }: FastifyRequest,
  { raw, statusCode }: FastifyReply,
  counts: ResponseBatch['counts'],
): void {
  if (raw.writableFinished) {
    counts.end(raw, countedAs(config.chain), statusCode);
    counts.timed(raw, performance.now());
  } else counts.abandon();
}

const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

function problemOf(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): unknown {
  if (error instanceof Problem)
    return clientLeft(error.cause, request.raw, reply.raw) ? new Problem('bad_request', { cause: error }) : error;
  const { code, statusCode } = error as FastifyError;
  const known = typeof code === 'string' ? FRAMEWORK_CODES[code] : undefined;
  if (known !== undefined) return new Problem(known, { cause: error });
  // Its message may quote the body, which may hold phone numbers: the table's own sentence is sent instead.
  if (typeof code === 'string' && code.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500)
    return new Problem('bad_request', { cause: error });
  // The client broke the body off, and there may be very many.
  if (clientLeft(error, request.raw, reply.raw)) return new Problem('bad_request', { cause: error });
  return error;
}

/** The route that took a request knows its path already, and it need not be read again. */
const allowedAt = (request: FastifyRequest, paths: KnownPaths | undefined): string | undefined =>
  paths?.allowed(request.is404 ? request.url : (request.routeOptions.url ?? request.url));

function writeProblem(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  paths: KnownPaths | undefined,
) {
  const problem = problemOf(error, request, reply);
  const answer = answerProblem(problem, request.exchange, services.log);
  services.counts?.failed(reply.raw, answer.code);
  reply.code(answer.status).header('Content-Type', 'application/json; charset=utf-8');
  setAll(reply, answer.headers);
  const allow = answer.status === 405 ? allowedAt(request, paths) : undefined;
  if (allow !== undefined) reply.header('Allow', allow);
  // The framework would close the connection under a body that is still being sent. The rest is read and
  // dropped (`dropBody`), so it can go on.
  if (answer.status === 413 || answer.status === 415) reply.removeHeader('connection');
  if (request.routeOptions.config.chain === 'bouncer') return reply.send(withMessage(answer.body));
  if (!isForBrowsers(request)) return reply.send(answer.body);
  reply.header('Vary', `Accept, ${LANGUAGE_HEADERS}`);
  if (!wantsPage(request.headers)) return reply.send(answer.body);
  return reply.headers(PAGE_HEADERS).send(problemPage(pageLanguageOf(request), asProblem(problem).code));
}

/** Clients of the bouncer protocol read `message` at the top of an error, and some end without one. */
function withMessage(body: string): string {
  const { error } = JSON.parse(body) as ErrorBody;
  return JSON.stringify({ message: error.message, error });
}

/**
 * Callers below these paths are programs: an error there is the error body, whatever a browser prefers
 * (interface, Errors).
 */
const INTERFACES = /^\/((en\/)?(v1|pulse|sandbox|mcp|oauth)|api|geoip|console\/api|\.well-known)(\/|[?#]|$)/;

const isForBrowsers = ({ method, url }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !INTERFACES.test(url);
