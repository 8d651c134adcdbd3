import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../http-plugin.ts';
import { PAGE_HEADERS } from '../../pages/page.ts';
import { LANGUAGE_HEADERS, pageLanguage } from '../../pages/page-language.ts';
import { healthPage } from '../../pages/problem-page.ts';

/** The page of GET /healthz, for browsers; `fast-lane.ts` answers every other client. */
export function healthRoute(): HttpPlugin {
  return (app, { services }) => {
    app.get('/healthz', (request, reply) => {
      const view = services.view();
      reply.header('Vary', `Accept, ${LANGUAGE_HEADERS}`);
      if (view === undefined) throw new Problem('not_ready');
      return reply.headers(PAGE_HEADERS).send(healthPage(pageLanguage(request.headers), view.degraded));
    });
  };
}
