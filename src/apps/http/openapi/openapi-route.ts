import type { HttpPlugin } from '../create-app.ts';
import { openApiDocument } from './document.ts';

/** GET /openapi.json: the description of the REST interface. */
export function openApiRoute(baseUrl: string): HttpPlugin {
  const text = JSON.stringify(openApiDocument(baseUrl));
  return (app) => {
    app.get('/openapi.json', (_request, reply) =>
      reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=3600').send(text),
    );
  };
}
