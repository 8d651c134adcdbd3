import {
  type AllowEntry,
  entriesInForce,
  readAllowList,
  replaceAllowList,
} from '../../../../core/policy/allow-list.ts';
import type { UnixMs } from '../../../../core/units.ts';
import type { AccountStore } from '../../../../service/accounts/account-store.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { Problem } from '../../../../service/problem.ts';
import { sendVersion, versionCheck, versionOf } from '../../answer/reply-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';

/** GET and PUT /v1/allowlist: an account allows these addresses for its own answers (docs/enforcement.md). */
export const allowListRoutes =
  (store: Pick<AccountStore, 'allowList' | 'changeAllowList'>): HttpPlugin =>
  (app) => {
    app.get('/v1/allowlist', async (request, reply) => {
      const { exchange } = request;
      const document = documentOf(await store.allowList(accountOf(exchange)), exchange.at);
      return sendVersion(request, reply, document, versionOf(document));
    });
    app.put('/v1/allowlist', async ({ exchange, body, headers }) => {
      const id = accountOf(exchange);
      const wishes = readAllowList(body);
      if (typeof wishes === 'string') throw new Problem('bad_request', { message: wishes });
      const { at } = exchange;
      const check = versionCheck(headers, (held: readonly AllowEntry[]) => versionOf(documentOf(held, at)));
      const by = { actor: `user:${id}`, at } as const;
      const entries = await store.changeAllowList(
        id,
        (held) => {
          check(held);
          return replaceAllowList(held, wishes, at);
        },
        by,
      );
      return documentOf(entries, at);
    });
  };

function accountOf({ caller }: Exchange): string {
  if (caller?.kind !== 'key') throw new Problem('key_required');
  return caller.account.id;
}

const documentOf = (entries: readonly AllowEntry[], at: UnixMs) => ({
  entries: entriesInForce(entries, at).map(({ prefix, reason, from, until }) => ({
    prefix,
    reason,
    from: isoTime(from),
    ...(until !== undefined && { until: isoTime(until) }),
  })),
});
