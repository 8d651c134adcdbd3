import type { IPTimeline } from '../../../../contract/documents.ts';
import type { TimelineLookup } from '../../../../service/lookup/describe-timeline.ts';
import { type ExplainLookup, scoreTable } from '../../../../service/lookup/explain-lookup.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';
import { timeRangeOf } from '../../steps/read.ts';

export interface ExplainRoutesOptions {
  readonly lookup: Pick<ExplainLookup, 'explain'>;
  readonly timeline: Pick<TimelineLookup, 'changes'>;
}

/** Serves explanations, timelines, and the table of parameters (decisions 10.3, 10.4). */
export const explainRoutes =
  ({ lookup, timeline }: ExplainRoutesOptions): HttpPlugin =>
  (app) => {
    app.get('/pulse/v1/ip/:ip/explain', async ({ exchange }, reply) => {
      const { view, address, at, moment } = exchange;
      const query = { view: view!, address: address!, account: accountOf(exchange), now: at, moment };
      const { document, degraded } = await lookup.explain(query);
      if (degraded) reply.header('X-Pulse-Degraded', '1');
      return document;
    });

    app.get('/pulse/v1/ip/:ip/timeline', async ({ exchange }): Promise<IPTimeline> => {
      const { view, address, at } = exchange;
      const query = { view: view!, address: address!, account: accountOf(exchange), now: at };
      return timeline.changes({ ...query, ...timeRangeOf(exchange) });
    });

    const table = scoreTable();
    app.get('/v1/score/parameters', (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=3600').send(table);
    });
  };

function accountOf({ caller }: Exchange) {
  if (caller?.kind !== 'key') throw new Problem('key_required');
  return caller.account;
}
