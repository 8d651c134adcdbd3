import { ownAddress } from '../../../core/caller/client-address.ts';
import { Recent } from '../../../core/kit/recent.ts';
import type { SiteFile } from '../../../service/site.ts';
import { sendFile, textFile } from '../answer/send-file.ts';
import type { HttpPlugin } from '../step.ts';

const FILES_MAX = 8;

/**
 * Serves GET /openapi.json. Its schemas, and the library that writes them, are loaded with the first request.
 */
export function openApiRoute(baseUrl: string): HttpPlugin {
  const addressFor = ownAddress(baseUrl);
  const files = new Recent<string, Promise<SiteFile>>(FILES_MAX);
  const write = async (address: string): Promise<SiteFile> =>
    textFile(
      'application/json; charset=utf-8',
      JSON.stringify((await import('./document.ts')).openApiDocument(address)),
    );
  return (app) => {
    app.get('/openapi.json', async (request, reply) => {
      const address = addressFor(request.headers.host);
      const file = files.get(address) ?? write(address);
      files.set(address, file);
      return sendFile(request, reply, await file);
    });
  };
}
