import { randomBytes } from 'node:crypto';
import type { WatchDelivery, Watchlist as WatchlistDocument } from '../../../../contract/documents.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { newId } from '../../../../service/new-id.ts';
import { Problem } from '../../../../service/problem.ts';
import { setWatchlist } from '../../../../service/watchlists/check-watchlist.ts';
import type {
  WatchDelivery as Stored,
  Watchlist,
  WatchlistStore,
} from '../../../../service/watchlists/watchlist-store.ts';
import { webhookSecret } from '../../../../service/watchlists/webhook-secret.ts';
import { sendVersion, versionCheck, versionOf } from '../../answer/reply-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';

const BODY_LIMIT_BYTES = 128 * 1024;
const SHOWN_MAX = 100;

interface Asked {
  readonly exchange: Exchange;
  readonly params: unknown;
}

/**
 * Watch lists of an account (decisions 10.6), with a key or signed in.
 *
 *     GET    /watchlists                                    {watchlists}
 *     PUT    /watchlists/{id}                               creates or replaces; GET and DELETE
 *     POST   /watchlists/{id}/test                          sends a delivery of the type watchlist.test
 *     GET    /watchlists/{id}/deliveries                    {deliveries}, newest first
 *     POST   /watchlists/{id}/deliveries/{delivery}/replay  sends one again
 */
export const watchlistRoutes =
  (store: WatchlistStore, secret: Uint8Array, allowed: readonly string[]): HttpPlugin =>
  (app) => {
    const find = async ({ exchange, params }: Asked): Promise<Watchlist> => {
      const list = await store.find(accountOf(exchange), (params as { readonly id: string }).id);
      if (list === undefined) throw new Problem('not_found', { message: 'There is no such watch list.' });
      return list;
    };
    for (const base of ['/v1/watchlists', '/console/api/watchlists']) {
      app.get(base, async ({ exchange }) => ({
        watchlists: (await store.list(accountOf(exchange))).map((list) => documentOf(list)),
      }));
      app.get(`${base}/:id`, async (request, reply) => {
        const list = await find(request);
        return sendVersion(request, reply, documentOf(list), watchlistVersion(list));
      });
      app.put(`${base}/:id`, { bodyLimit: BODY_LIMIT_BYTES }, async ({ exchange, params, body, headers }, reply) => {
        const { view, at } = exchange;
        if (view === undefined) throw new Problem('not_ready');
        const { id } = params as { readonly id: string };
        const check = versionCheck(headers, watchlistVersion);
        const sender = { accountId: accountOf(exchange), view, at, check, allowed };
        const list = await setWatchlist(store, id, body, sender);
        reply.code(list.isNew ? 201 : 200);
        return documentOf(list, list.isNew ? webhookSecret(secret, list) : undefined);
      });
      app.delete(`${base}/:id`, async (request, reply) => {
        const { accountId, id } = await find(request);
        const by = { actor: `user:${accountId}`, at: request.exchange.at } as const;
        await store.remove(accountId, id, by, versionCheck(request.headers, watchlistVersion));
        return reply.code(204).send();
      });
      app.post(`${base}/:id/test`, async (request, reply) => {
        const list = await find(request);
        const { at } = request.exchange;
        const message = { type: 'watchlist.test', timestamp: isoTime(at), data: { watchlist_id: list.id } };
        const delivery = { id: newId('msg', randomBytes), ip: '', body: JSON.stringify(message), at };
        await store.add(list, delivery);
        reply.code(202);
        return { id: delivery.id };
      });
      app.get(`${base}/:id/deliveries`, async (request) => ({
        deliveries: (await store.deliveries(await find(request), SHOWN_MAX)).map(deliveryDocument),
      }));
      app.post(`${base}/:id/deliveries/:delivery/replay`, async (request, reply) => {
        const { delivery: id } = request.params as { readonly delivery: string };
        if (!(await store.replay(await find(request), id, request.exchange.at)))
          throw new Problem('not_found', { message: 'There is no such delivery.' });
        reply.code(202);
        return { id };
      });
    }
  };

/** Checks by the service do not change it. */
const watchlistVersion = (list: Watchlist): string => versionOf({ ...documentOf(list), checked_at: '' });

function accountOf({ caller }: Exchange): string {
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return caller.account.id;
}

const documentOf = (list: Watchlist, secret?: string): WatchlistDocument => ({
  id: list.id,
  name: list.name,
  entries: [...list.entries],
  on: [...list.on],
  ...(list.minLevel !== undefined && { min_level: list.minLevel }),
  webhook: {
    url: list.url,
    ...(secret !== undefined && { secret }),
    ...(list.goneAt !== undefined && { gone_at: isoTime(list.goneAt) }),
  },
  created_at: isoTime(list.createdAt),
  checked_at: isoTime(list.checkedAt),
});

const deliveryDocument = ({ id, ip, at, state, attempts, nextAt, result, body }: Stored): WatchDelivery => ({
  id,
  ...(ip !== '' && { ip }),
  at: isoTime(at),
  state,
  attempts,
  ...(state === 'waiting' && { next_at: isoTime(nextAt) }),
  ...(result !== undefined && { result }),
  body,
});
