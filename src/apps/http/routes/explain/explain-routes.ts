import type { ExplainLookup } from '../../../../service/lookup/explain-lookup.ts';
import { scoreTable } from '../../../../service/lookup/score-table.ts';
import { Problem } from '../../../../service/problem.ts';
import type { HttpPlugin } from '../../http-plugin.ts';

/** GET /pulse/v1/ip/{ip}/explain and GET /v1/score/parameters (decisions 10.3). */
export const explainRoutes =
  (lookup: Pick<ExplainLookup, 'explain'>): HttpPlugin =>
  (app) => {
    app.get('/pulse/v1/ip/:ip/explain', async ({ exchange }, reply) => {
      const { view, address, at, moment, caller } = exchange;
      if (caller?.kind !== 'key') throw new Problem('key_required');
      const question = { view: view!, address: address!, account: caller.account, now: at, moment };
      const { document, degraded } = await lookup.explain(question);
      if (degraded) reply.header('X-Pulse-Degraded', '1');
      return document;
    });

    const table = scoreTable();
    app.get('/v1/score/parameters', (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=3600').send(table);
    });
  };
