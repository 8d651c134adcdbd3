import { Problem } from '../../../../service/problem.ts';
import { PAGE_HEADERS } from '../../pages/page.ts';
import { LANGUAGE_HEADERS, pageLanguage } from '../../pages/page-language.ts';
import { healthPage } from '../../pages/problem-page.ts';
import type { HttpPlugin } from '../../step.ts';

/** `fast-lane.ts` answers GET /healthz and /readyz to every client but browsers, which get this page. */
export function healthRoute(): HttpPlugin {
  return (app, { services }) => {
    for (const path of ['/healthz', '/readyz'])
      app.get(path, (request, reply) => {
        const view = services.view();
        reply.header('Vary', `Accept, ${LANGUAGE_HEADERS}`);
        if (view === undefined) throw new Problem('not_ready');
        const degraded = view.degraded || (services.storesAway?.().length ?? 0) > 0;
        return reply.headers(PAGE_HEADERS).send(healthPage(pageLanguage(request.headers), degraded));
      });
  };
}
