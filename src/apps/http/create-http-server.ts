import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ClosingConnections, dropRestOfBody } from './closing-connections.ts';
import type { AppOptions, HttpPlugin } from './create-app.ts';
import { createFastLane, lookupMethods, pathOf } from './fast-lane.ts';
import { knownPaths } from './known-paths.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, limitConnections, placeOnConnection } from './limit-connections.ts';
import { losesWhatFollows, refuseNonRequests } from './refuse-non-requests.ts';
import { protectiveLines } from './reply-headers.ts';
import { requestIds } from './request-ids.ts';
import { ResponseBatch } from './response-batch.ts';
import type { Route } from './routes.ts';
import type { HttpServices, Log } from './services.ts';

export interface HttpServerOptions {
  readonly services: HttpServices;
  /** Groups of routes besides the look-ups. As a function they are loaded by `complete` or by the first request that needs them. */
  readonly plugins: readonly HttpPlugin[] | (() => Promise<readonly HttpPlugin[]>);
  /** Every route the plugins may bring; default: routes.ts. */
  readonly routes?: readonly Route[];
  /** First characters of every X-Request-Id of this server; no other thread or run has them. */
  readonly idPrefix: string;
  /** What connections may hold; default: the fixed bounds, and any number of connections. */
  readonly connections?: ConnectionLimits;
}

export interface HttpServer {
  readonly server: Server;
  /** Starts to accept. Several threads may share one port. @returns the port that was bound */
  listen(address: { readonly host: string; readonly port: number; readonly reusePort: boolean }): Promise<number>;
  /** Loads every path besides the look-ups; requests for them wait for it. Resolves when they are answered too. @throws what a group of routes throws */
  complete(): Promise<void>;
  /**
Announces with each answer, for a moment, that the connection ends; then stops accepting, finishes what is in flight for at most `graceMs`, and
   * cuts what is left. Without the moment a client would meet a reset on the connection it was about to use again.
   */
  close(graceMs: number): Promise<void>;
}

/** Slow clients are cut off: the head within 10 s, the whole request within 30 s, an idle connection after 65 s (longer than common load balancers keep one). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** How often they are looked at; node:http's own half minute would make 10 s up to 40. */
const TIMEOUT_CHECK_MS = 1000;
const HEADER_BYTES = 16 * 1024;
const LAST_ANSWERS_MS = 200;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * One `node:http` server: the look-up endpoints by the fast lane, every other path by fastify. Look-ups can be answered at once; fastify and the routes,
 * which take most of a start, are loaded behind that.
 */
export function createHttpServer({ services, plugins, routes, idPrefix, connections: limits = CONNECTION_LIMITS }: HttpServerOptions): HttpServer {
  const nextId = requestIds(idPrefix);
  const always = protectiveLines(services.baseUrl);
  const batch = new ResponseBatch(services.ledger, services.log, always, services.counts);
  const fastLane = createFastLane(services, batch, nextId);
  let other: Handler | undefined;
  let loading: Promise<Loaded> | undefined;
  let closing = false;
  /** The request being read now, when it asks for another protocol and others may follow it. */
  let upgrading: IncomingMessage | undefined;
  const paths = knownPaths();
  const load = (): Promise<Loaded> => {
    loading ??= loadApp(server, { services, batch, nextId, plugins, paths, routes }).then((loaded) => {
      other = loaded.handler;
      takeNoRequests();
      return loaded;
    });
    return loading;
  };
  const allowedMethods = (target: string): string | undefined | Promise<string | undefined> =>
    lookupMethods(target) ??
    load().then(
      () => paths.allowed(target),
      // `complete` reports it; the paths loaded so far are all there are.
      () => paths.allowed(target),
    );
  // An Upgrade is answered as if it had not been asked for (RFC 9110, 7.8).
  const server = createServer(
    {
      optimizeEmptyRequests: true,
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: HEADER_BYTES,
      shouldUpgradeCallback: (request) => {
        upgrading = losesWhatFollows(request) ? request : undefined;
        return false;
      },
    },
    (request: IncomingMessage, response: ServerResponse) => {
      try {
        const place = placeOnConnection(request.socket);
        // The answer before this one ends the connection; the client sends it again over another (RFC 9112, 9.3.2).
        if (place > limits.requestsMax) return;
        if (closing || place === limits.requestsMax || request === upgrading) response.shouldKeepAlive = false;
        // A request without a body has its stream ended already.
        if (!request.readableEnded) dropRestOfBody(request, response);
        if (!fastLane(request, response)) appRoutes(request, response);
      } catch (error) {
        endByFault(error, response);
      }
    },
  );
  const appRoutes: Handler = (request, response) => {
    // A target in absolute form names the host, and Host counts for nothing (RFC 9112, 3.2.2).
    const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(request.url!)?.[1];
    if (authority !== undefined) request.headers.host = authority;
    request.url = pathOf(request.url!);
    response.on('error', (error) => services.log.error({ error }, 'an answer could not be written'));
    if (other !== undefined) return other(request, response);
    load()
      .then(
        ({ handler }) => handler(request, response),
        () => response.destroy(),
      )
      .catch((error) => endByFault(error, response));
  };
  /** What a request does to its handler ends its own connection, never the thread with all the others. */
  const endByFault = (error: unknown, response: ServerResponse): void => {
    services.log.error({ error }, 'a request ended by a fault of ours');
    response.destroy();
  };
  const connections = new ClosingConnections(limits.silenceMs);
  limitConnections(server, limits, services.log);
  connections.watch(server);
  // A client that has sent everything may close its half; node:http would cut it off unanswered. The declared types lack the field.
  Object.assign(server, { httpAllowHalfOpen: true });
  const takeNoRequests = (): void => refuseNonRequests(server, { nextId, always, allowedMethods, closing: connections, log: services.log });
  takeNoRequests();
  return {
    server,
    listen: (address) => listen(server, services.log, address),
    complete: async () => void (await load()),
    close: async (graceMs) => {
      closing = true;
      await new Promise((done) => setTimeout(done, Math.min(LAST_ANSWERS_MS, graceMs)));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose last answer left just now is idle from then on, and would be kept for the next request.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      connections.hurry();
      const cut = setTimeout(() => {
        server.closeAllConnections();
        connections.cut();
      }, graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
      await loading?.then(
        ({ app }) => app.close(),
        () => {},
      );
    },
  };
}

interface Loaded {
  readonly app: FastifyInstance;
  readonly handler: Handler;
}

async function loadApp(
  server: Server,
  { plugins, ...parts }: Omit<AppOptions, 'serverFactory' | 'plugins'> & Pick<HttpServerOptions, 'plugins'>,
): Promise<Loaded> {
  const [{ createApp }, groups] = await Promise.all([import('./create-app.ts'), typeof plugins === 'function' ? plugins() : plugins]);
  let handler: Handler | undefined;
  const app = await createApp({
    ...parts,
    plugins: groups,
    serverFactory: (given) => {
      handler = given;
      return server;
    },
  });
  return { app, handler: handler! };
}

function listen(
  server: Server,
  log: Log,
  { host, port, reusePort }: { readonly host: string; readonly port: number; readonly reusePort: boolean },
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort, backlog: 1024 }, () => {
      server.off('error', reject);
      // A connection that cannot be accepted (no file descriptor is left) is lost; those that are open go on.
      server.on('error', (error) => log.error({ error }, 'a connection could not be accepted'));
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
