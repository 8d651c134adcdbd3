import { clientAddress } from '../../../../core/caller/client-address.ts';
import type { Address } from '../../../../core/ip/address.ts';
import { parseAnyAddress } from '../../../../core/ip/parse-address.ts';
import { contains, parsePrefix } from '../../../../core/ip/prefix.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../create-app.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpServices } from '../../services.ts';
import { type MetricsSources, renderMetrics } from './render-metrics.ts';

/** This machine, and the networks that are never routed in public: where metrics are collected from. */
const INSIDE = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '::1/128', 'fc00::/7', 'fe80::/10'].map(
  (text) => parsePrefix(text)!,
);

/** Headers a proxy adds for another client. A request that carries one comes from inside only if a proxy we trust says so. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

/**
 * GET /metrics in the Prometheus text format: one scrape, answered by any thread, covers the whole process. For this machine and private networks;
 * to any other client the path does not exist.
 */
export function metricsRoute(sources: MetricsSources): HttpPlugin {
  return (app, { services }) => {
    app.get('/metrics', { config: { unlisted: true } }, async (request, reply) => {
      if (!isInside(request.exchange, services)) throw new Problem('not_found');
      const { text, contentType } = await renderMetrics(sources);
      return reply.header('Content-Type', contentType).header('Cache-Control', 'no-store').send(text);
    });
  };
}

/** Without configured proxies a forwarded request may come from anywhere: a proxy on this very machine must not open the page to the world. */
function isInside({ request, headers }: Exchange, { trustedProxies }: Pick<HttpServices, 'trustedProxies'>): boolean {
  const peer = parseAnyAddress(request.socket.remoteAddress ?? '');
  if (peer === undefined) return false;
  const forwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
  if (!forwarded) return isPrivate(peer);
  const client = clientAddress(peer, headers.forwardedFor, trustedProxies);
  return client !== peer && isPrivate(client);
}

const isPrivate = (address: Address): boolean => INSIDE.some((prefix) => contains(prefix, address));
