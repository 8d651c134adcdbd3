import type { IPTimeline } from '../../../../contract/documents.ts';
import { describeChanges } from '../../../../service/lookup/describe-changes.ts';
import type { ExplainLookup } from '../../../../service/lookup/explain-lookup.ts';
import { isOnRecord, readHistory, windowFrom } from '../../../../service/lookup/lookup-pulse.ts';
import { scoreTable } from '../../../../service/lookup/score-table.ts';
import type { OverrideStore } from '../../../../service/overrides/override-store.ts';
import type { HistoryTimeline } from '../../../../service/ports.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../http-plugin.ts';
import { timeRangeOf } from '../../steps/read.ts';

export interface ExplainRoutesOptions {
  readonly lookup: Pick<ExplainLookup, 'explain'>;
  /** Undefined when none is kept. */
  readonly history: HistoryTimeline | undefined;
  readonly overrides: Pick<OverrideStore, 'all'>;
}

/** Why and since when (decisions 10.3, 10.4): explanations, timelines, and the table of parameters. */
export const explainRoutes =
  ({ lookup, history, overrides }: ExplainRoutesOptions): HttpPlugin =>
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
      const account = accountOf(exchange);
      if (history === undefined) throw new Problem('history_not_enabled');
      if (!isOnRecord(view!, address!, at)) throw new Problem('not_found', { message: 'No record for this address.' });
      const earliest = windowFrom(at, account.historyDays, await readHistory(() => history.earliest()));
      const { from = earliest, to } = timeRangeOf(exchange);
      const query = { view: view!, address: address!, account, from, to, windowFrom: earliest };
      return describeChanges(history, await overrides.all(), query);
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
