import type { FastifyInstance } from 'fastify';
import type { ConsoleOverride, ConsoleOverrides } from '../../contract/console.ts';
import { parseRfc3339 } from '../../core/evidence/parse-rfc3339.ts';
import type { Override } from '../../core/risk/override.ts';
import {
  addOverride,
  describeOverride,
  type OverrideStore,
  removeOverride,
} from '../../service/overrides/overrides.ts';
import type { Clock } from '../../service/ports.ts';
import { Problem } from '../../service/problem.ts';
import { bodyOf, byOperator } from './session/session-of.ts';

export interface OverrideRoutesOptions {
  readonly overrides: OverrideStore;
  readonly clock: Clock;
}

/**
 * Operators' overrides of verdicts, below /console/api/operator.
 *
 *     GET    /overrides         those in force, newest first
 *     POST   /overrides         {prefix, allow: true | deny, reason, until}
 *     DELETE /overrides/{id}    204
 */
export function overrideRoutes(app: FastifyInstance, { overrides, clock }: OverrideRoutesOptions): void {
  app.get('/console/api/operator/overrides', async (): Promise<ConsoleOverrides> => {
    const at = clock.now();
    return { overrides: (await overrides.all()).filter(({ until }) => until > at).map(documentOf) };
  });

  app.post('/console/api/operator/overrides', async (request, reply): Promise<ConsoleOverride> => {
    const { prefix, allow, deny, reason, until } = bodyOf(request);
    const end = typeof until === 'string' ? parseRfc3339(until) : undefined;
    if (typeof prefix !== 'string' || typeof reason !== 'string' || end === undefined)
      throw new Problem('bad_request', {
        message: 'prefix and reason must be texts, until an RFC 3339 date-time.',
      });
    if ((allow === true) === (typeof deny === 'string'))
      throw new Problem('bad_request', { message: 'Send either "allow": true or "deny": a kind.' });
    const wish = { prefix, deny: deny as string | undefined, reason, until: end };
    reply.code(201);
    return documentOf(await addOverride(overrides, wish, byOperator(request, clock)));
  });

  app.delete('/console/api/operator/overrides/:id', async (request, reply) => {
    await removeOverride(overrides, (request.params as { readonly id: string }).id, byOperator(request, clock));
    return reply.code(204).send();
  });
}

const documentOf = (override: Override): ConsoleOverride => ({ id: override.id, ...describeOverride(override) });
