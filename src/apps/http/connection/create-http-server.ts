import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { protectiveLines } from '../answer/reply-headers.ts';
import type { AppOptions } from '../create-app.ts';
import { knownPaths } from '../known-paths.ts';
import { createFastLane, type FastLane, lookupMethods, pathOf } from '../lane/fast-lane.ts';
import { requestIds } from '../lane/request-ids.ts';
import { ResponseBatch } from '../lane/response-batch.ts';
import { ROUTES, type Route } from '../routes.ts';
import type { HttpServices, Log } from '../services.ts';
import type { HttpPlugin } from '../step.ts';
import type { AppPipeAddress, Relay } from './app-pipe.ts';
import { ClosingConnections, dropBody } from './closing-connections.ts';
import { createRelay } from './create-relay.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  endRequests,
  limitConnections,
  limitPipelined,
  placeOnConnection,
} from './limit-connections.ts';
import { nodeHttp } from './node-http.ts';
import { dropsNextRequest, refuseNonRequests, transferRefuser } from './refuse-non-requests.ts';
import { requireSeal } from './require-seal.ts';

/**
 * - `plugins`: these routes are answered by fastify behind the same server; a number instead bounds the requests
 *   under way with the app thread.
 * - `idPrefix`: every X-Request-Id of this server begins with it, and no other thread or run has it.
 */
export interface HttpServerOptions {
  readonly services: HttpServices;
  readonly plugins: readonly HttpPlugin[] | { readonly relaysMax: number };
  readonly seal?: string;
  readonly routes?: readonly Route[];
  readonly idPrefix: string;
  readonly connections?: ConnectionLimits;
}

export type LookupLane = (parts: {
  readonly services: HttpServices;
  readonly batch: ResponseBatch;
  readonly nextId: () => string;
  readonly relay: Relay;
}) => FastLane;

export interface HttpServer {
  readonly server: Server;
  /**
   * Loads the groups of routes, then starts to accept. Several threads may share one port.
   * @returns the port that was bound, 0 on a pipe
   * @throws the error of a group of routes
   */
  listen(address: ListenAddress): Promise<number>;
  setApp(address: AppPipeAddress | undefined): void;
  answer(lane: LookupLane): void;
  /** Announces that connections end, stops accepting, and cuts requests that are open after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/**
 * Slow clients are cut off: the head within 10 s, the whole request within 30 s, an idle connection after 65
 * s (longer than common load balancers keep one).
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Every half minute, node:http's own interval, would turn 10 s into up to 40. */
const TIMEOUT_CHECK_MS = 1000;
const HEADER_BYTES = 16 * 1024;
const LAST_ANSWERS_MS = 200;
const READ_EVERY_MS = 20;
/** A closing server waits this long for the first request of connections that it accepted just before. */
const FIRST_REQUEST_MS = 300;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
type ListenAddress =
  | { readonly host: string; readonly port: number; readonly reusePort: boolean }
  | { readonly path: string }
  | { readonly fd: number };

export function createHttpServer({
  services,
  plugins,
  routes = ROUTES,
  idPrefix,
  seal,
  connections: limits = CONNECTION_LIMITS,
}: HttpServerOptions): HttpServer {
  const nextId = requestIds(idPrefix);
  const always = protectiveLines(services.baseUrl);
  const batch = new ResponseBatch(services.ledger, services.log, always, services.counts);
  const way = 'relaysMax' in plugins ? createRelay({ services, batch, nextId, routes, ...plugins }) : undefined;
  const fastLane = createFastLane(services, batch, nextId, way?.relay);
  let otherLane: FastLane | undefined;
  let others: Handler | undefined;
  let app: FastifyInstance | undefined;
  let closing = false;
  let upgrading: IncomingMessage | undefined;
  const paths = knownPaths();
  for (const { methods, path } of routes)
    paths.add(
      path,
      methods.split(', ').flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    );
  // An Upgrade is answered as a usual request (RFC 9110, 7.8).
  const server = nodeHttp.createServer(
    {
      ...serverOptions(seal !== undefined),
      shouldUpgradeCallback: (request) => {
        upgrading = dropsNextRequest(request) ? request : undefined;
        return false;
      },
    },
    (request: IncomingMessage, response: ServerResponse) => {
      try {
        const { socket } = request;
        const place = placeOnConnection(socket);
        if (place === 1) fresh.delete(socket);
        if (isSealed !== undefined && !isSealed(request)) return void socket.destroy();
        // The previous answer ends the connection; the client sends this request again over another (RFC
        // 9112, 9.3.2).
        if (place > limits.requestsMax) return;
        if (closing || request === upgrading) response.shouldKeepAlive = false;
        if (place === limits.requestsMax) endRequests(socket, response);
        else limitPipelined(socket, response);
        // A request without a body has its stream ended already.
        if (!request.readableEnded) {
          dropBody(request, response);
          if (refuseTransfer?.(request, response) === true) return;
        }
        if (fastLane(request, response) || otherLane?.(request, response)) return;
        if (way !== undefined) return way.relay(request, response);
        response.on('error', (error) => services.log.error({ error }, 'an answer could not be written'));
        // A target in absolute form names the host, and Host counts for nothing (RFC 9112, 3.2.2).
        const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(request.url!)?.[1];
        if (authority !== undefined) request.headers.host = authority;
        request.url = pathOf(request.url!);
        others!(request, response);
      } catch (error) {
        endByFault(error, response);
      }
    },
  );
  /** A request's fault in its handler ends its own connection, never the thread with all the others. */
  const endByFault = (error: unknown, response: ServerResponse): void => {
    services.log.error({ error }, 'a request ended by a fault of ours');
    response.destroy();
  };
  const fresh = new Set<Socket>();
  server.on('connection', (socket) => {
    fresh.add(socket);
    socket.once('close', () => fresh.delete(socket));
  });
  const isSealed = seal === undefined ? undefined : requireSeal(server, seal);
  const refuseTransfer = seal === undefined ? transferRefuser(nextId, always) : undefined;
  const connections = new ClosingConnections(limits.silenceMs);
  limitConnections(server, limits, services.log);
  connections.watch(server);
  // A client that has sent everything may close its half; node:http would cut it off unanswered. The declared
  // types lack the field.
  Object.assign(server, { httpAllowHalfOpen: true });
  const takeNoRequests = (): void =>
    refuseNonRequests(server, {
      nextId,
      always,
      allowedMethods: (target) => lookupMethods(target) ?? paths.allowed(target),
      closing: connections,
      log: services.log,
    });
  takeNoRequests();
  return {
    server,
    async listen(address) {
      if (!('relaysMax' in plugins)) {
        ({ app, handler: others } = await loadApp(server, { services, batch, nextId, plugins, paths, routes }));
        takeNoRequests();
      }
      return await listen(server, services.log, address);
    },
    setApp: (address) => way?.pipe.setApp(address),
    answer: (lane) => {
      if (way !== undefined) otherLane = lane({ services, batch, nextId, relay: way.relay });
    },
    close: async (graceMs) => {
      closing = true;
      await closeInTime({ server, fresh, connections, graceMs });
      way?.pipe.close();
      await app?.close();
    },
  };
}

const serverOptions = (isPipe: boolean): ServerOptions => ({
  optimizeEmptyRequests: true,
  requireHostHeader: false,
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: isPipe ? 0 : KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  maxHeaderSize: isPipe ? 2 * HEADER_BYTES : HEADER_BYTES,
});

async function closeInTime({
  server,
  fresh,
  connections,
  graceMs,
}: {
  readonly server: Server;
  readonly fresh: ReadonlySet<Socket>;
  readonly connections: ClosingConnections;
  readonly graceMs: number;
}): Promise<void> {
  // Several short waits, because a thread that had no CPU must read what has arrived before it closes.
  for (let ms = 0; ms < Math.min(LAST_ANSWERS_MS, graceMs); ms += READ_EVERY_MS)
    await new Promise((done) => setTimeout(() => setImmediate(done), READ_EVERY_MS));
  // The close of node:http itself ends connections whose first request is on its way.
  const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(server, () => resolve()));
  const closedAt = performance.now();
  // A connection whose last answer just left is idle from then on, and would be kept for the next request.
  const idle = setInterval(() => {
    if (fresh.size === 0 || performance.now() - closedAt > FIRST_REQUEST_MS) server.closeIdleConnections();
  }, READ_EVERY_MS);
  connections.hurry();
  const cut = setTimeout(() => {
    server.closeAllConnections();
    connections.cut();
  }, graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

interface Loaded {
  readonly app: FastifyInstance;
  readonly handler: Handler;
}

async function loadApp(server: Server, parts: Omit<AppOptions, 'serverFactory'>): Promise<Loaded> {
  // A pipe takes its place, so fastify is loaded only here.
  const { createApp } = await import('../create-app.ts');
  let handler: Handler | undefined;
  const app = await createApp({
    ...parts,
    serverFactory: (given) => {
      handler = given;
      return server;
    },
  });
  return { app, handler: handler! };
}

function listen(server: Server, log: Log, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...address, backlog: 1024 }, () => {
      server.off('error', reject);
      // A connection that cannot be accepted (no file descriptor is left) is lost; open ones continue.
      server.on('error', (error) => log.error({ error }, 'a connection could not be accepted'));
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
    });
  });
}

/**
 * Returns the file descriptor of a listening socket, which a child process can inherit. Undefined on Windows.
 * The declared types lack the field.
 */
export function listeningFd(server: Server): number | undefined {
  const { _handle: handle } = server as unknown as { readonly _handle?: { readonly fd?: number } };
  return handle?.fd === undefined || handle.fd < 0 ? undefined : handle.fd;
}
