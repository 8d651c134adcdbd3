import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SCOPE } from '../../core/oauth/lifetimes.ts';
import type { ConsoleLanguage, OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { Problem } from '../../service/problem.ts';
import type { HttpPlugin } from '../http/http-plugin.ts';
import type { HttpServices } from '../http/services.ts';
import { giveBackCost } from '../http/steps/charge.ts';
import { isJson } from '../http/steps/require.ts';
import { countMinute, type McpCall } from './call-tool.ts';
import type { Protocol } from './protocol.ts';
import { TRANSPORT_HEADERS } from './rpc.ts';

export interface McpRoutesOptions {
  readonly addresses: OAuthAddresses;
}

const BODY_LIMIT = 64 * 1024;
/** The library requires both types. The caller's Accept is ignored, because every answer is JSON. */
const ACCEPT = 'application/json, text/event-stream';

interface Endpoint {
  readonly path: string;
  readonly account: ConsoleLanguage | undefined;
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/mcp', account: undefined },
  { path: '/mcp/account', account: 'zh' },
  { path: '/en/mcp/account', account: 'en' },
];

/**
 * POST /mcp, /mcp/account and /en/mcp/account: stateless streamable HTTP, always answered as JSON (interface,
 * "MCP endpoints").
 */
export function mcpRoutes(options: McpRoutesOptions): HttpPlugin {
  return async (parent, { services }) => {
    await parent.register(async (app) => {
      app.removeAllContentTypeParsers();
      // The body is parsed later, so that malformed JSON gets a JSON-RPC error and not the framework's.
      app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
        done(null, body),
      );
      let made: Promise<Protocol> | undefined;
      const make = async (): Promise<Protocol> =>
        (await import('./protocol.ts')).createProtocol(options.addresses.audience, (error) =>
          services.log.warn({ error }, 'mcp transport'),
        );
      // The library loads with the first message, which saves a thread without agents 70 ms.
      const protocol = (): Promise<Protocol> => (made ??= make());
      app.setErrorHandler(async (error, request, reply) => {
        const account = ENDPOINTS.find(({ path }) => path === request.routeOptions.url)?.account;
        if (account === undefined || !(error instanceof Problem) || error.status !== 401) throw error;
        return challenge(reply, error, options.addresses.resourceMetadata(account));
      });
      for (const endpoint of ENDPOINTS) mount(app, endpoint, options, services, protocol);
    });
  };
}

function mount(
  app: FastifyInstance,
  { path, account }: Endpoint,
  { addresses }: McpRoutesOptions,
  services: HttpServices,
  protocol: () => Promise<Protocol>,
): void {
  app.post(path, {
    handler: async (request, reply) => {
      if (!isJson(request.headers['content-type'])) throw new Problem('unsupported_media_type');
      const call: McpCall = {
        exchange: request.exchange,
        services,
        signedInEndpoint: addresses.resource(account ?? 'zh'),
        counted: false,
        retryAfterSec: undefined,
        degraded: false,
      };
      const answer = await (await protocol())(call, transportHeaders(request), request.body);
      if (!call.counted) await countMinute(call);
      // The caller's own minute bounds these requests; only its refusals stay counted here.
      if (call.retryAfterSec === undefined) await giveBackCost(request.exchange, services);
      if (call.retryAfterSec !== undefined) reply.header('Retry-After', call.retryAfterSec);
      if (call.degraded) reply.header('X-Pulse-Degraded', '1');
      if (answer.allow !== undefined) reply.header('Allow', answer.allow);
      reply.code(answer.status);
      return answer.message === undefined
        ? reply.send()
        : reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.message));
    },
  });
  // There is no stream to open, no session to end, and nothing to preflight.
  app.route({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: path,
    config: { unlisted: true },
    handler: (_request, _reply) => {
      throw new Problem('method_not_allowed');
    },
  });
}

/** An error is only named if the request carried a credential (RFC 6750 3, RFC 9728 5.1). */
function challenge(reply: FastifyReply, problem: Problem, resourceMetadata: string): FastifyReply {
  const error =
    problem.code === 'key_required' ? '' : `error="invalid_token", error_description="${problem.message}", `;
  return reply
    .code(401)
    .header('WWW-Authenticate', `Bearer ${error}resource_metadata="${resourceMetadata}", scope="${SCOPE}"`)
    .header('Cache-Control', 'no-store')
    .send(problem.body());
}

function transportHeaders(request: FastifyRequest): Headers {
  const headers = new Headers({ 'content-type': 'application/json', accept: ACCEPT });
  for (const name of TRANSPORT_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}
