import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../create-app.ts';
import { PAGE_HEADERS } from '../../page.ts';
import { LANGUAGE_HEADERS, pageLanguage, wantsPage } from '../../page-language.ts';
import { readyPage } from '../../problem-page.ts';

/**
 * GET /healthz: whether this thread answers and has data. 200 when look-ups can be answered, 503 not_ready while data is loading. An operational extra, apart from the API:
 * it needs no key, counts nothing and says nothing about callers. A browser gets a page.
 */
export function healthRoute(): HttpPlugin {
  return (app, { services }) => {
    app.get('/healthz', (request, reply) => {
      const view = services.view();
      reply.header('Cache-Control', 'no-store').header('Vary', `Accept, ${LANGUAGE_HEADERS}`);
      if (view === undefined) throw new Problem('not_ready');
      if (wantsPage(request.headers))
        return reply.headers(PAGE_HEADERS).send(readyPage(pageLanguage(request.headers), view.degraded));
      const { risk, geo } = view.dataVersion;
      const unwritten = services.counts?.greatest('ledger_refusing') === 1;
      return reply.send({
        status: 'ready',
        degraded: view.degraded,
        data_version: { risk, geo },
        ...(unwritten && { charges_unwritten: true }),
      });
    });
  };
}
