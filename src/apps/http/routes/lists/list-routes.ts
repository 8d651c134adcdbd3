import { LIST_FORMATS, type ListFormat, type ListOptions } from '../../../../contract/lists.ts';
import type { Account } from '../../../../core/caller/caller.ts';
import { queryFields } from '../../../../core/caller/query.ts';
import { parseRfc3339 } from '../../../../core/evidence/parse-rfc3339.ts';
import { familiesOf, LIST_MAX, readListMax } from '../../../../core/lists/list-options.ts';
import { prefixesAllowed } from '../../../../core/policy/allow-list.ts';
import type { UnixMs } from '../../../../core/units.ts';
import { isoTime } from '../../../../service/iso-time.ts';
import { describeList } from '../../../../service/lists/describe-list.ts';
import type { ListFiles, ListQuery } from '../../../../service/lists/list-files.ts';
import type { ListStore, StoredList } from '../../../../service/lists/list-store.ts';
import { removeList, saveList } from '../../../../service/lists/save-list.ts';
import { readHistory, windowFrom } from '../../../../service/lookup/lookup-pulse.ts';
import type { HistoryPast } from '../../../../service/ports.ts';
import { Problem } from '../../../../service/problem.ts';
import { hasVersion, sendVersion, versionCheck, versionOf } from '../../answer/reply-headers.ts';
import { takesCoding } from '../../answer/send-file.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';
import { badTime, takeOnly } from '../../steps/read.ts';

export interface ListRoutesOptions {
  readonly store: ListStore;
  readonly files: ListFiles;
  readonly history: Pick<HistoryPast, 'earliest'> | undefined;
}

interface Named {
  Params: { name: string };
}
interface Filed {
  Params: { name: string; format: string };
}

const TYPES: Readonly<Record<ListFormat, string>> = {
  txt: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  nft: 'text/plain; charset=utf-8',
};

/**
 * Serves lists that an account saves, with a key or signed in, and lists as files: GET|PUT|DELETE
 * /v1/lists/{name}, GET /lists/{name}.{format} (docs/enforcement.md).
 */
export const listRoutes =
  ({ store, files, history }: ListRoutesOptions): HttpPlugin =>
  (app, { services }) => {
    for (const base of ['/v1/lists', '/console/api/lists']) {
      app.get(base, async ({ exchange }) => {
        const { id, operator } = accountOf(exchange);
        return { lists: (await store.all(id)).map((list) => describeList(list, operator)) };
      });
      app.get<Named>(`${base}/:name`, async (request, reply) => {
        const { id, operator } = accountOf(request.exchange);
        const list = await listOf(id, request.params.name);
        return sendVersion(request, reply, describeList(list, operator), listVersion(list));
      });
      app.put<Named>(`${base}/:name`, async ({ exchange, params, body, headers }) => {
        const { id: accountId, operator } = accountOf(exchange);
        const by = { actor: `user:${accountId}`, at: exchange.at } as const;
        const wish = { accountId, name: params.name, settings: body };
        const list = await saveList(store, wish, by, !operator, versionCheck(headers, listVersion));
        return describeList(list, operator);
      });
      app.delete<Named>(`${base}/:name`, async ({ exchange, params, headers }, reply) => {
        const { id } = accountOf(exchange);
        const by = { actor: `user:${id}`, at: exchange.at } as const;
        await removeList(store, id, params.name, by, versionCheck(headers, listVersion));
        return reply.code(204).send();
      });
    }
    app.get<Filed>('/lists/:name.:format', async (request, reply) => {
      const { exchange, params } = request;
      const { account, key } = keyOf(exchange);
      const format = LIST_FORMATS.find((one) => one === params.format);
      if (format === undefined)
        throw new Problem('not_found', { message: `A list is fetched as ${LIST_FORMATS.join(', ')}.` });
      const isPacked = takesCoding(request, 'gzip');
      const list = await listOf(account.id, params.name);
      const wish = readWish(exchange, format, list.settings);
      await checkPast(exchange, account, wish);
      const file = await files.find({
        ...wish,
        name: list.name,
        format,
        isPacked,
        isOwn: account.operator,
        allowed: prefixesAllowed(account.allowed, wish.at ?? exchange.at),
        ...(wish.since !== undefined && { allowedSince: prefixesAllowed(account.allowed, wish.since) }),
      });
      const etag = `W/"${file.digest.slice(0, 32)}"`;
      reply.headers({
        ETag: etag,
        'Last-Modified': new Date(file.modifiedAt).toUTCString(),
        'Cache-Control': 'private, no-cache',
        Vary: 'Accept-Encoding',
        'X-Pulse-Prefixes': `${file.prefixes} of ${file.total}`,
        ...(file.leftOut > 0 && { 'X-Pulse-Left-Out': file.leftOut }),
        ...(file.degraded && { 'X-Pulse-Degraded': '1' }),
      });
      const isKnown = hasVersion(request.headers, etag, file.modifiedAt);
      const { content, bytes } = await file.open();
      if (wish.at === undefined && wish.since === undefined) {
        const fetched = { at: exchange.at, key: key.id, prefixes: file.prefixes, bytes };
        store
          .noteFetch(list.id, fetched)
          .catch((error) => services.log.error({ error }, 'the fetch of a list could not be noted'));
      }
      if (isKnown) {
        content.destroy();
        return reply.code(304).send();
      }
      if (isPacked) reply.header('Content-Encoding', 'gzip');
      return reply.type(TYPES[format]).header('Content-Length', bytes).send(content);
    });

    async function listOf(accountId: string, name: string): Promise<StoredList> {
      const list = await store.find(accountId, name);
      if (list === undefined) throw new Problem('not_found', { message: 'There is no list of this name.' });
      return list;
    }

    async function checkPast({ at }: Exchange, { dataTier, historyDays }: Account, wish: Wish): Promise<void> {
      const asked = Math.min(wish.at ?? Infinity, wish.since ?? Infinity);
      if (asked === Infinity) return;
      if (dataTier !== 'professional') throw new Problem('history_requires_professional');
      if (history === undefined) throw new Problem('history_not_enabled');
      if (!familiesOf(wish.settings).includes(4)) throw new Problem('history_no_ipv6');
      const from = windowFrom(at, historyDays, await readHistory(() => history.earliest()));
      if (asked < from) throw new Problem('at_out_of_window', { extras: { window_from: isoTime(from) } });
    }
  };

/** Fetches do not change it. */
const listVersion = ({ fetched: _, ...list }: StoredList): string => versionOf(list);

function accountOf(exchange: Exchange): Account {
  takeOnly(exchange);
  const { caller } = exchange;
  if (caller?.kind !== 'key' && caller?.kind !== 'user') throw new Problem('key_required');
  return caller.account;
}

function keyOf({ caller }: Exchange) {
  if (caller?.kind !== 'key') throw new Problem('key_required');
  return caller;
}

type Wish = Pick<ListQuery, 'settings' | 'at' | 'since' | 'isWithoutComments'>;

/** Returns the settings of the list within those of the query. @throws Problem bad_request, invalid_time */
function readWish({ query, at: now }: Exchange, format: ListFormat, settings: ListOptions): Wish {
  takeOnly({ query }, 'max', 'family', 'plain', 'at', 'since');
  const given = (name: string): readonly string[] =>
    queryFields(query).flatMap(([key, value]) => (key === name ? [value] : []));
  const moment = (name: 'at' | 'since'): UnixMs | undefined => {
    const [text, second] = given(name);
    const read = text === undefined ? undefined : parseRfc3339(text);
    if (text !== undefined && (read === undefined || read > now || second !== undefined)) throw badTime(name);
    return read;
  };
  const require = (isGood: boolean, message: string): void => {
    if (!isGood) throw new Problem('bad_request', { message });
  };
  const [at, since] = [moment('at'), moment('since')];
  const [maxText] = given('max');
  const [family = settings.family] = given('family') as readonly ListOptions['family'][];
  const [plain = 'false'] = given('plain');
  const asked = maxText === undefined ? LIST_MAX : readListMax(maxText);
  require(asked !== undefined, 'max is a whole number from 1 on.');
  require(since === undefined || format === 'json', 'Changes since a moment are fetched as json.');
  require(since === undefined || since <= (at ?? now), 'since must not be later than at.');
  require(['4', '6', settings.family].includes(family), 'family is 4 or 6.');
  require([family, 'both'].includes(settings.family), `This list holds IPv${settings.family} alone.`);
  const max = Math.min(asked!, settings.max ?? LIST_MAX);
  return {
    settings: { ...settings, family, ...(max < LIST_MAX && { max }) },
    isWithoutComments: !['0', 'false'].includes(plain),
    ...(at !== undefined && { at }),
    ...(since !== undefined && { since }),
  };
}
