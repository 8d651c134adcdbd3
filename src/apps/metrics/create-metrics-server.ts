import type { IncomingMessage, Server } from 'node:http';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { isOwnHost } from '../../core/caller/client-address.ts';
import { nodeHttp } from '../http/connection/node-http.ts';
import type { Log } from '../http/services.ts';
import { type MetricsSources, renderMetrics } from './render-metrics.ts';

export interface MetricsServerOptions {
  readonly sources: MetricsSources;
  /** A scrape may use these lower-case host names without port, besides addresses and localhost. */
  readonly names: readonly string[];
  readonly log: Log;
}

const CONNECTIONS_MAX = 64;
const TIMEOUT_MS = 30_000;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Serves GET /metrics in the Prometheus text format on a listener of its own: whoever reaches it may read it.
 * A name that its owner made resolve to this machine could lead a browser here (DNS rebinding), so a Host
 * that is neither an address nor one of our names is refused.
 */
export function createMetricsServer({ sources, names, log }: MetricsServerOptions): Server {
  const scrape = async (): Promise<Answer> => {
    const { text, contentType } = await renderMetrics(sources);
    return { status: 200, headers: { 'Content-Type': contentType }, body: text };
  };
  const server = nodeHttp.createServer(
    { requireHostHeader: false, headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS },
    (request, response) => {
      const refused = refusalOf(request, names);
      Promise.resolve(refused === undefined ? scrape() : refusalAnswer(refused))
        .catch((error: unknown) => {
          log.error({ error }, 'the metrics could not be collected');
          return refusalAnswer('internal_error');
        })
        .then(({ status, headers, body }) => {
          response.writeHead(status, {
            ...headers,
            'Content-Length': Buffer.byteLength(body),
            'Cache-Control': 'no-store',
            'X-Content-Type-Options': 'nosniff',
          });
          response.end(body);
        });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.timeout = TIMEOUT_MS;
  return server;
}

function refusalOf(
  { headers, headersDistinct, method, url = '' }: IncomingMessage,
  names: readonly string[],
): ErrorCode | undefined {
  if (headersDistinct['host']?.length !== 1) return 'bad_request';
  if (!isOwnHost(headers.host, names)) return 'forbidden';
  if (url.split('?', 1)[0] !== '/metrics') return 'not_found';
  return method === 'GET' || method === 'HEAD' ? undefined : 'method_not_allowed';
}

function refusalAnswer(code: ErrorCode): Answer {
  const { status, message } = ERRORS[code];
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ...(code === 'method_not_allowed' && { Allow: 'GET, HEAD' }),
  };
  return { status, headers, body: JSON.stringify({ error: { code, message } }) };
}
