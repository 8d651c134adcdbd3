import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBytes } from '../../core/kit/json.ts';
import { SCOPE } from '../../core/oauth/lifetimes.ts';
import type { ConsoleLanguage, OAuthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { Problem } from '../../service/problem.ts';
import type { HttpPlugin } from '../http/create-app.ts';
import type { HttpServices } from '../http/services.ts';
import { giveBackCost } from '../http/steps/charge.ts';
import { countMinute, type McpCall, refusalBody } from './call-tool.ts';
import { RPC, readMessage, rpcError } from './json-rpc.ts';
import { createProtocol, type Protocol } from './protocol.ts';

export interface McpRoutesOptions {
  readonly addresses: OAuthAddresses;
}

const BODY_LIMIT = 64 * 1024;
/** Without these two the library refuses; what callers accept does not matter, since we always answer JSON. */
const ACCEPT = 'application/json, text/event-stream';
/** Headers of the transport that the library reads. */
const TRANSPORT_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

interface Endpoint {
  readonly path: string;
  /** Undefined: the open endpoint. */
  readonly account: ConsoleLanguage | undefined;
}

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/mcp', account: undefined },
  { path: '/mcp/account', account: 'zh' },
  { path: '/en/mcp/account', account: 'en' },
];

/** POST /mcp, /mcp/account and /en/mcp/account: streamable HTTP, stateless, always answered with JSON (interface, "MCP endpoints"). */
export function mcpRoutes(options: McpRoutesOptions): HttpPlugin {
  return async (parent, { services }) => {
    await parent.register(async (app) => {
      app.removeAllContentTypeParsers();
      // Read here, so that malformed JSON is answered in JSON-RPC's words and not in the framework's.
      app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
        done(null, body),
      );
      const protocol = createProtocol(options.addresses.audience, (error) =>
        services.log.warn({ error }, 'mcp transport'),
      );
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
  protocol: Protocol,
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
      const answer = await answerMessage(call, request, protocol);
      if (!call.counted) await countMinute(call);
      // Bounded by the caller's own minute; only what that refused stays counted here.
      if (call.retryAfterSec === undefined) await giveBackCost(request.exchange, services);
      if (call.retryAfterSec !== undefined) reply.header('Retry-After', call.retryAfterSec);
      if (call.degraded) reply.header('X-Pulse-Degraded', '1');
      if (answer.allow !== undefined) reply.header('Allow', answer.allow);
      reply.code(answer.status);
      return answer.body === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(answer.body);
    },
  });
  // No stream to open, no session to end, nothing to preflight.
  app.route({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: path,
    config: { unlisted: true },
    handler: (_request, _reply) => {
      throw new Problem('method_not_allowed');
    },
  });
}

/** RFC 6750 3 and RFC 9728 5.1: an error is only named when a credential was sent. */
function challenge(reply: FastifyReply, problem: Problem, resourceMetadata: string): FastifyReply {
  const error =
    problem.code === 'key_required' ? '' : `error="invalid_token", error_description="${problem.message}", `;
  return reply
    .code(401)
    .header('WWW-Authenticate', `Bearer ${error}resource_metadata="${resourceMetadata}", scope="${SCOPE}"`)
    .header('Cache-Control', 'no-store')
    .send(problem.body());
}

const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;|$)/i.test(contentType?.trim() ?? '');

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly allow?: string | undefined;
}

async function answerMessage(call: McpCall, request: FastifyRequest, protocol: Protocol): Promise<Answer> {
  const message = Buffer.isBuffer(request.body) ? parseJsonBytes(request.body) : undefined;
  if (message === undefined)
    return { status: 400, body: rpcError(null, RPC.parse, 'Parse error: the body is not valid JSON.') };
  if (typeof message !== 'object' || message === null)
    return { status: 400, body: rpcError(null, RPC.invalidRequest, 'Invalid request: not a JSON-RPC message.') };
  // Batches were taken out of the protocol in 2025-06-18; one would be many calls under one set of allowance headers.
  if (Array.isArray(message))
    return { status: 400, body: rpcError(null, RPC.invalidRequest, 'Invalid request: batches are not supported.') };
  const { id, method } = readMessage(message);
  if (method === 'subscriptions/listen')
    return {
      status: 404,
      body: rpcError(id ?? null, RPC.methodNotFound, 'Method not found: this server sends nothing by itself.'),
    };
  if (method !== undefined && method !== 'tools/call') {
    const refused = await countMinute(call);
    // As HTTP 200: clients drop the body of a 429 and would never see what to do (decisions 7.2).
    if (refused !== undefined && id !== undefined)
      return { status: 200, body: rpcError(id, RPC.refused, refused.message, { error: refusalBody(call, refused) }) };
    if (refused !== undefined) return { status: 202, body: '' };
  }
  const answer = await protocol(call, transportHeaders(request), message);
  return { ...answer, body: plainParams(answer.body, id ?? null) };
}

function transportHeaders(request: FastifyRequest): Headers {
  const headers = new Headers({ 'content-type': 'application/json', accept: ACCEPT });
  for (const name of TRANSPORT_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}

/**
 * The library reports params of the wrong form in its validator's own notation, over many lines, and calls them an internal error where the method is its own
 * (initialize, tools/list). Either is -32602 in one sentence here (interface, MCP result rule 5).
 */
function plainParams(body: string, id: string | number | null): string {
  if (!body.includes('[\\n')) return body;
  const { error } = JSON.parse(body) as { readonly error?: { readonly code: number; readonly message: string } };
  if (error === undefined || !WRONG_PARAMS.has(error.code) || !error.message.includes('[\n')) return body;
  return rpcError(id, RPC.invalidParams, 'Invalid params: they are not of the form that the method takes.');
}

const WRONG_PARAMS: ReadonlySet<number> = new Set([RPC.invalidParams, RPC.internal]);
