import type { Server } from 'node:http';
import { PublishedData } from '../../adapters/snapshots/published-data.ts';
import { nodeHttp } from '../../apps/http/connection/node-http.ts';
import { type Config, VERSION } from '../../config.ts';
import { ERRORS } from '../../contract/errors.ts';
import type { DataMessage } from '../../service/serving/data-state.ts';

interface Versions {
  readonly risk: string;
  readonly geo: string;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly retryAfter?: number;
}

const NOT_FOUND: Answer = {
  status: 404,
  body: { error: { code: 'not_found', message: 'This node compiles and publishes; it answers no lookups.' } },
};
const { status, message, retryAfterSec: retryAfter } = ERRORS.not_ready;
const NOT_READY: Answer = {
  status,
  retryAfter,
  body: { error: { code: 'not_ready', message, retry_after: retryAfter } },
};

const STARTING: Answer = { status: 200, body: { status: 'starting', role: 'ingest', version: VERSION } };

const CONNECTIONS_MAX = 64;
const TIMEOUT_MS = 10_000;

/**
 * Replaces the HTTP threads on a node of role `ingest`: keeps the product versions and answers GET /healthz and /readyz.
 */
export class HealthServer {
  readonly #config: Config;
  readonly #server: Server;
  readonly #data = new PublishedData();
  #onView: (versions: Versions) => void = () => {};

  constructor(config: Config) {
    this.#config = config;
    this.#server = nodeHttp.createServer((request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const { status, body, retryAfter } = isRead ? this.#answer(request.url) : NOT_FOUND;
      const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
      response
        .writeHead(status, retryAfter === undefined ? headers : { ...headers, 'Retry-After': retryAfter })
        .end(JSON.stringify(body));
    });
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.timeout = TIMEOUT_MS;
  }

  #answer(path: string | undefined): Answer {
    if (path !== '/healthz' && path !== '/readyz') return NOT_FOUND;
    const state = this.#data.state();
    if (state === undefined) return path === '/readyz' ? NOT_READY : STARTING;
    return {
      status: 200,
      body: {
        status: 'ready',
        role: 'ingest',
        version: VERSION,
        degraded: state.degraded,
        data_version: state.dataVersion,
      },
    };
  }

  start(): Promise<number> {
    const { host, port } = this.#config;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        const bound = this.#server.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
      });
    });
  }

  onView(listener: (versions: Versions) => void): void {
    this.#onView = listener;
  }

  publish(message: DataMessage): void {
    this.#data.publish(message);
    const state = this.#data.state();
    if (message.type === 'geo' && state !== undefined) this.#onView(state.dataVersion);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
