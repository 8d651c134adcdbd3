import { ownAddress } from '../../core/caller/client-address.ts';
import { sendFile } from '../http/answer/send-file.ts';
import type { HttpPlugin } from '../http/step.ts';
import { DOCS_PATHS, type DocsFiles, docsFileName } from './docs-files.ts';

/**
 * Serves documentation to reading programs: each page as Markdown beside it ([/en]/docs/NAME.md), and all of
 * them in /llms-full.txt.
 */
export function docsRoutes(docs: DocsFiles, baseUrl: string): HttpPlugin {
  const addressFor = ownAddress(baseUrl);
  return (app) => {
    for (const language of ['zh', 'en'] as const) {
      const prefix = language === 'en' ? '/en' : '';
      for (const path of DOCS_PATHS)
        app.get(`${prefix}/docs/${docsFileName(path)}`, (request, reply) =>
          sendFile(request, reply, docs.page(path, language, addressFor(request.headers.host))),
        );
    }
    app.get('/llms-full.txt', (request, reply) =>
      sendFile(request, reply, {
        ...docs.all(addressFor(request.headers.host)),
        type: 'text/plain; charset=utf-8',
      }),
    );
  };
}
