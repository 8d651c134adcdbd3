import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownAddress } from '../../core/caller/client-address.ts';
import { queryValue } from '../../core/caller/query.ts';
import { SCOPE } from '../../core/oauth/lifetimes.ts';
import { type ConsoleLanguage, KEYLESS, oauthAddresses } from '../../core/oauth/oauth-addresses.ts';
import { Problem } from '../../service/problem.ts';
import { answerPreflight, originHeaders } from '../http/answer/reply-headers.ts';
import type { HttpPlugin } from '../http/step.ts';
import { giveBackCost } from '../http/steps/charge.ts';
import { sentKeyOf } from '../http/steps/identify-caller.ts';
import { isJson } from '../http/steps/require.ts';
import { type AccountToolsOptions, accountTools as makeAccountTools } from './account-tools.ts';
import { countMinute, type McpCall, namesOf } from './call-tool.ts';
import type { McpTool } from './mcp-tool.ts';
import type { Protocol } from './protocol.ts';
import type { McpResource } from './resources.ts';
import { TRANSPORT_HEADERS } from './rpc.ts';
import { LOOKUP_TOOLS, toolsAsked } from './tools.ts';

export interface McpRoutesOptions {
  /** The tools of the account endpoints need it; without it there are only the lookups. */
  readonly account: AccountToolsOptions | undefined;
  readonly resources: readonly McpResource[];
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
export const mcpRoutes =
  (options: McpRoutesOptions): HttpPlugin =>
  async (parent, { services }) => {
    const accountTools = options.account === undefined ? [] : makeAccountTools(options.account);
    const addressFor = ownAddress(services.baseUrl);
    const addressesFor = ({ headers }: FastifyRequest) => oauthAddresses(addressFor(headers.host));
    await parent.register(async (app) => {
      app.addHook('onSend', async ({ headers: { origin } }, reply) => {
        reply.headers(originHeaders(origin, services.mcpOrigins));
      });
      app.removeAllContentTypeParsers();
      // The body is parsed later, so that malformed JSON gets a JSON-RPC error and not the framework's.
      app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
        done(null, body),
      );
      let made: Promise<Protocol> | undefined;
      const make = async (): Promise<Protocol> =>
        (await import('./protocol.ts')).createProtocol(services.baseUrl, (error) =>
          services.log.warn({ error }, 'mcp transport'),
        );
      // The library loads with the first message, which saves a thread without agents 70 ms.
      const protocol = (): Promise<Protocol> => (made ??= make());
      app.setErrorHandler(async (error, request, reply) => {
        if (!(error instanceof Problem) || error.status !== 401) throw error;
        const account = ENDPOINTS.find(({ path }) => path === withoutSlash(request.routeOptions.url))?.account;
        const { status } = sentKeyOf(request.exchange);
        // A new sign-in would not mend a header that the client is set up to send.
        if (status === 'differs') return refuse(reply, new Problem(error.code, { message: HEADER_AT_FAULT }));
        if (status === 'misplaced') return refuse(reply, error);
        const query = [account === undefined ? KEYLESS : '', toolsAsked(request.exchange.query)]
          .filter((part) => part !== '')
          .join('&');
        const metadata = addressesFor(request).resourceMetadata(account ?? 'zh', query && `?${query}`);
        return challenge(reply, error, metadata);
      });
      for (const { path, account } of ENDPOINTS) {
        const tools = account === undefined ? LOOKUP_TOOLS : [...LOOKUP_TOOLS, ...accountTools];
        const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
          if (!isJson(request.headers['content-type'])) throw new Problem('unsupported_media_type');
          const { exchange } = request;
          const addresses = addressesFor(request);
          const call: McpCall = {
            ...{ exchange, services, resources: options.resources, tools: chosenTools(exchange.query, tools) },
            baseUrl: addresses.baseUrl,
            signedInEndpoint: addresses.resource(account ?? 'zh'),
          };
          const { status, allow, message } = await (await protocol())(call, transportHeaders(request), request.body);
          if (!call.isMinuteCounted) await countMinute(call);
          // The caller's own minute bounds these requests; only its refusals stay counted here.
          if (call.retryAfterSec === undefined) await giveBackCost(exchange, services);
          else reply.header('Retry-After', call.retryAfterSec);
          if (call.degraded) reply.header('X-Pulse-Degraded', '1');
          if (allow !== undefined) reply.header('Allow', allow);
          reply.code(status);
          return message === undefined
            ? reply.send()
            : reply.type('application/json; charset=utf-8').send(JSON.stringify(message));
        };
        for (const url of [path, `${path}/`]) {
          app.post(url, answer);
          // There is no stream to open, no session to end, and nothing to preflight.
          app.route({
            method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
            url,
            config: { unlisted: true },
            handler: answerPreflight(services.mcpOrigins),
          });
        }
      }
    });
  };

const HEADER_AT_FAULT = 'X-API-Key and Authorization carry different keys: remove X-API-Key to use the sign-in.';

const withoutSlash = (path = '') => path.replace(/\/$/, '');

/** Returns the tools that `?tools=` names, separated by commas; all of them without it. @throws Problem bad_request */
function chosenTools(query: string, tools: readonly McpTool[]) {
  const chosen = query === '' ? undefined : queryValue(query, 'tools');
  if (chosen === undefined) return tools;
  const names = chosen.split(',').filter((name) => name !== '');
  const found = tools.filter(({ definition }) => names.includes(definition.name));
  if (found.length === 0 || found.length < new Set(names).size)
    throw new Problem('bad_request', { message: `tools names what is not here; there are ${namesOf(tools)}.` });
  return found;
}

/** An error is only named if the request carried a credential (RFC 6750 3, RFC 9728 5.1). */
function challenge(reply: FastifyReply, problem: Problem, resourceMetadata: string) {
  const error =
    problem.code === 'key_required' ? '' : `error="invalid_token", error_description="${problem.message}", `;
  reply.header('WWW-Authenticate', `Bearer ${error}resource_metadata="${resourceMetadata}", scope="${SCOPE}"`);
  return refuse(reply, problem);
}

const refuse = (reply: FastifyReply, problem: Problem) =>
  reply.code(401).header('Cache-Control', 'no-store').send(problem.body());

function transportHeaders(request: FastifyRequest) {
  const headers = new Headers({ 'content-type': 'application/json', accept: ACCEPT });
  for (const name of TRANSPORT_HEADERS) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return headers;
}
