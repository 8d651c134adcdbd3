import type { HttpPlugin } from '../http-plugin.ts';

/** GET /openapi.json: the description of the REST interface. Its schemas, and the library that writes them, are loaded with the first request. */
export function openApiRoute(baseUrl: string): HttpPlugin {
  let text: Promise<string> | undefined;
  const write = async (): Promise<string> => JSON.stringify((await import('./document.ts')).openApiDocument(baseUrl));
  return (app) => {
    app.get('/openapi.json', async (_request, reply) => {
      text ??= write();
      return reply
        .type('application/json; charset=utf-8')
        .header('Cache-Control', 'public, max-age=3600')
        .send(await text);
    });
  };
}
