import type { FastifyInstance } from 'fastify';
import type { Status } from '../../contract/status.ts';

/** GET /console/api/status: the data this deployment answers from, for the public status page. */
export function statusRoutes(app: FastifyInstance, status: () => Status): void {
  app.get('/console/api/status', async (_request, reply): Promise<Status> => {
    reply.header('cache-control', 'no-store');
    return status();
  });
}
