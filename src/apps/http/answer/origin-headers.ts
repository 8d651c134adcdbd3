import type { RouteHandlerMethod } from 'fastify';
import { Problem } from '../../../service/problem.ts';
import { EXPOSED_HEADERS } from './reply-headers.ts';

/** Headers of an answer that pages of the origins an operator names (PULSE_MCP_ORIGINS) may read. */
export function originHeaders(origin: string | undefined, origins?: readonly string[]): Record<string, string> {
  if (origins === undefined || origins.length === 0) return {};
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Origin' };
  const exposed = { 'Access-Control-Expose-Headers': `WWW-Authenticate, ${EXPOSED_HEADERS}` };
  return { Vary: 'Origin', 'Access-Control-Allow-Origin': origin, ...exposed };
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, X-API-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, *',
  'Access-Control-Max-Age': '86400',
};

/** Answers the preflight request of a page of a named origin. Other requests are of a method that is not served. */
export const answerPreflight =
  (origins?: readonly string[]): RouteHandlerMethod =>
  async ({ method, headers: { origin } }, reply) => {
    if (method !== 'OPTIONS' || origin === undefined || !origins?.includes(origin))
      throw new Problem('method_not_allowed');
    return reply.code(204).headers(PREFLIGHT).send();
  };
