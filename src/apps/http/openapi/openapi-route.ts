import { ownAddress } from '../../../core/caller/client-address.ts';
import { queryFields } from '../../../core/caller/query.ts';
import { Recent } from '../../../core/kit/recent.ts';
import { Problem } from '../../../service/problem.ts';
import type { SiteFile } from '../../../service/site.ts';
import { JSON_TYPE } from '../answer/reply-headers.ts';
import { sendFile, textFile } from '../answer/send-file.ts';
import type { HttpPlugin } from '../step.ts';

const FILES_MAX = 16;

/**
 * Serves GET /openapi.json, with `tag` a part of it. Its schemas, and the library that writes them, are loaded
 * with the first request.
 */
export function openApiRoute(baseUrl: string): HttpPlugin {
  const addressFor = ownAddress(baseUrl);
  const files = new Recent<string, SiteFile>(FILES_MAX);
  return (app) => {
    app.get('/openapi.json', async (request, reply) => {
      const { openApiDocument, PARTS } = await import('./document.ts');
      const [part, ...more] = queryFields(request.exchange.query).flatMap(([name, value]) =>
        name === 'tag' ? value : [],
      );
      if (more.length > 0 || (part !== undefined && !PARTS.includes(part)))
        throw new Problem('bad_request', { message: `tag is one of ${PARTS.join(', ')}.` });
      const address = addressFor(request.headers.host);
      const name = `${address} ${part}`;
      const file = files.get(name) ?? textFile(JSON_TYPE, JSON.stringify(openApiDocument(address, part)));
      files.set(name, file);
      return sendFile(request, reply, file);
    });
  };
}
