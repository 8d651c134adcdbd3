import { entriesInForce, readAllowList, replaceAllowList } from '../../../../core/policy/allow-list.ts';
import type { UnixMs } from '../../../../core/units.ts';
import type { AccountStore } from '../../../../service/accounts/account-store.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { Problem } from '../../../../service/problem.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';

/** GET and PUT /v1/allowlist: an account allows these addresses for its own answers (docs/enforcement.md). */
export const allowListRoutes =
  (store: Pick<AccountStore, 'allowList' | 'changeAllowList'>): HttpPlugin =>
  (app) => {
    app.get('/v1/allowlist', async ({ exchange }) =>
      documentOf(await store.allowList(accountOf(exchange)), exchange.at),
    );
    app.put('/v1/allowlist', async ({ exchange, body }) => {
      const id = accountOf(exchange);
      const wishes = readAllowList(body);
      if (typeof wishes === 'string') throw new Problem('bad_request', { message: wishes });
      const { at } = exchange;
      const by = { actor: `user:${id}`, at } as const;
      return documentOf(await store.changeAllowList(id, (held) => replaceAllowList(held, wishes, at), by), at);
    });
  };

function accountOf({ caller }: Exchange): string {
  if (caller?.kind !== 'key') throw new Problem('key_required');
  return caller.account.id;
}

const documentOf = (entries: Awaited<ReturnType<AccountStore['allowList']>>, at: UnixMs) => ({
  entries: entriesInForce(entries, at).map(({ prefix, reason, from, until }) => ({
    prefix,
    reason,
    from: isoTime(from),
    ...(until !== undefined && { until: isoTime(until) }),
  })),
});
