import type { FastifyRequest } from 'fastify';

/** The JSON body; a body of another kind has no fields, and each field is checked by the service. */
export function bodyOf({ body }: FastifyRequest): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && !Buffer.isBuffer(body))
    return body as Record<string, unknown>;
  return {};
}
