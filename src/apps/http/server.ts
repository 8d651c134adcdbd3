import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { AppOptions, HttpPlugin } from './app.ts';
import { createFastLane, lookupMethods, pathOf } from './fast-lane.ts';
import { knownPaths } from './known-paths.ts';
import { refuseWhatIsNoRequest } from './no-request.ts';
import { requestIds } from './request-id.ts';
import type { HttpServices } from './services.ts';
import { Turn } from './turn.ts';

export interface HttpServerOptions {
  readonly services: HttpServices;
  /** Groups of routes besides the look-ups. As a function they are loaded by `complete` or by the first request that needs them. */
  readonly plugins: readonly HttpPlugin[] | (() => Promise<readonly HttpPlugin[]>);
  /** First characters of every X-Request-Id of this server; no other thread or run has them. */
  readonly idPrefix: string;
}

export interface HttpServer {
  readonly server: Server;
  /** Starts to accept. Several threads may share one port. @returns the port that was bound */
  listen(address: { readonly host: string; readonly port: number; readonly reusePort: boolean }): Promise<number>;
  /** Loads every path besides the look-ups; requests for them wait for it. Resolves when they are answered too. @throws what a group of routes throws */
  complete(): Promise<void>;
  /**
   * Tells clients for a moment, with each answer, that their connection ends; then stops accepting, finishes what is in flight for at most `graceMs`, and
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
export function createHttpServer({ services, plugins, idPrefix }: HttpServerOptions): HttpServer {
  const nextId = requestIds(idPrefix);
  const turn = new Turn(services.ledger, services.counts);
  const fastLane = createFastLane(services, turn, nextId);
  let other: Handler | undefined;
  let loading: Promise<Loaded> | undefined;
  let closing = false;
  const paths = knownPaths();
  const load = (): Promise<Loaded> => {
    loading ??= loadApp(server, { services, turn, nextId, plugins, paths }).then((loaded) => {
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
      // `complete` tells of it; what was loaded is all there is.
      () => paths.allowed(target),
    );
  const server = createServer(
    {
      optimizeEmptyRequests: true,
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: HEADER_BYTES,
    },
    (request: IncomingMessage, response: ServerResponse) => {
      if (closing) response.shouldKeepAlive = false;
      if (fastLane(request, response)) return;
      request.url = pathOf(request.url!);
      if (other !== undefined) return other(request, response);
      load().then(
        ({ handler }) => handler(request, response),
        () => response.destroy(),
      );
    },
  );
  const takeNoRequests = (): void => refuseWhatIsNoRequest(server, nextId, allowedMethods);
  takeNoRequests();
  return {
    server,
    listen: (address) => listen(server, address),
    complete: async () => void (await load()),
    close: async (graceMs) => {
      closing = true;
      await new Promise((done) => setTimeout(done, Math.min(LAST_ANSWERS_MS, graceMs)));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose last answer left just now is idle from then on, and would be kept for the next request.
      const idle = setInterval(() => server.closeIdleConnections(), 20);
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
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
  const [{ createApp }, groups] = await Promise.all([import('./app.ts'), typeof plugins === 'function' ? plugins() : plugins]);
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

function listen(server: Server, { host, port, reusePort }: { readonly host: string; readonly port: number; readonly reusePort: boolean }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort, backlog: 1024 }, () => {
      server.off('error', reject);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}
