import type { FastifyInstance } from 'fastify';
import type { Status } from '../../contract/status.ts';

/** GET /console/api/status: the state of this deployment's data, for the public status page. */
export function statusRoutes(app: FastifyInstance, status: () => Status): void {
  app.get('/console/api/status', async (_request, reply): Promise<Status> => {
    reply.header('cache-control', 'no-store');
    return status();
  });
}
