import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryFields } from '../../../../core/caller/query.ts';
import { parseAddress } from '../../../../core/ip/parse-address.ts';
import { familyBits, parsePrefix } from '../../../../core/ip/prefix.ts';
import { type DecisionFilter, decisionJson, passes } from '../../../../core/lists/decision-json.ts';
import { prefixesAllowed } from '../../../../core/policy/allow-list.ts';
import { fallsBelowAt } from '../../../../core/risk/explain.ts';
import { knownGoodCapOf } from '../../../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../../../core/risk/parameters.ts';
import { verdict } from '../../../../core/risk/verdict.ts';
import type { DecisionLists, DecisionQuery } from '../../../../service/lists/decision-lists.ts';
import { decisionOn } from '../../../../service/lists/decisions-of.ts';
import { Problem } from '../../../../service/problem.ts';
import { JSON_TYPE } from '../../answer/reply-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../http-plugin.ts';

const METRICS_LIMIT_BYTES = 1024 * 1024;

export const bouncerRoutes =
  (lists: DecisionLists): HttpPlugin =>
  (app, { services }) => {
    app.get('/v1/decisions', async (request, reply) => {
      reply.type(JSON_TYPE);
      if (request.method === 'HEAD') return reply.send();
      const query = readQuery(request.exchange.query);
      if (query.ip !== undefined) return reply.send(decisionAbout(request.exchange, query.ip, query.filter));
      return await send(request, reply, {
        ask: 'all',
        filter: query.filter,
        ...(query.range && { range: query.range }),
      });
    });
    app.get('/v1/decisions/stream', async (request, reply) => {
      reply.type(JSON_TYPE);
      if (request.method === 'HEAD') return reply.send();
      const { startup, filter } = readQuery(request.exchange.query);
      return await send(request, reply, { ask: startup ? 'startup' : 'changes', filter });
    });
    app.get('/v1/heartbeat', async () => ({}));
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
      scope.post('/v1/usage-metrics', { bodyLimit: METRICS_LIMIT_BYTES }, async (_request, reply) => {
        reply.code(201);
        return { message: 'taken' };
      });
    });

    async function send(
      { exchange }: FastifyRequest,
      reply: FastifyReply,
      asked: Pick<DecisionQuery, 'ask' | 'filter' | 'range'>,
    ): Promise<FastifyReply> {
      const { key, account } = bouncerOf(exchange);
      const answer = await lists.ask({
        keyId: key.id,
        bounds: key.bouncer!,
        isOwn: account.operator,
        exclude: prefixesAllowed(account.allowed, exchange.at),
        ...asked,
      });
      reply.raw.once('close', () => {
        answer.content.destroy();
        answer
          .close(reply.raw.writableFinished)
          .catch((error) => services.log.error({ error }, 'what a bouncer was told could not be kept'));
      });
      if (answer.leftOut > 0) reply.header('X-Pulse-Left-Out', answer.leftOut);
      return reply.header('Content-Length', answer.bytes).send(answer.content);
    }
  };

function bouncerOf({ caller }: Exchange) {
  if (caller?.kind !== 'key' || caller.key.bouncer === undefined) throw new Problem('forbidden');
  return caller;
}

interface BouncerQuery {
  readonly startup: boolean;
  readonly ip: string | undefined;
  readonly range: string | undefined;
  readonly filter: DecisionFilter;
}

/** @throws Problem bad_request for an invalid range */
function readQuery(query: string): BouncerQuery {
  const given = new Map(queryFields(query));
  const text = (name: string): string | undefined => given.get(name) || undefined;
  const words = (name: string): readonly string[] | undefined => text(name)?.split(',');
  const range = text('range');
  if (range !== undefined && parsePrefix(range) === undefined)
    throw new Problem('bad_request', { message: 'range is a prefix such as 192.0.2.0/24.' });
  return {
    startup: text('startup') === 'true',
    ip: text('ip'),
    range,
    filter: {
      scopes: words('scopes') ?? words('scope'),
      origins: words('origins'),
      containing: words('scenarios_containing'),
      notContaining: words('scenarios_not_containing'),
      type: text('type'),
    },
  };
}

function decisionAbout(exchange: Exchange, ip: string, filter: DecisionFilter): string {
  const { key } = bouncerOf(exchange);
  const { view, at } = exchange;
  const parsed = parseAddress(ip);
  if (parsed.status === 'invalid') throw new Problem('invalid_ip');
  if (view === undefined) throw new Problem('not_ready');
  if (parsed.status === 'reserved') return 'null';
  const { address } = parsed;
  const observations = view.observations(address);
  const network = view.network(address);
  const cap = knownGoodCapOf(view.protection, address);
  const found = verdict(observations, network, address.family, at, SCORE_PARAMETERS, cap);
  const { minScore } = key.bouncer!;
  if (found.score < minScore) return 'null';
  const until = fallsBelowAt(minScore, observations, network, address.family, at, SCORE_PARAMETERS, cap) ?? at;
  const decision = decisionOn(found, { ...address, bits: familyBits(address.family) }, until);
  return decision === undefined || !passes(decision, filter) ? 'null' : `[${decisionJson(decision, at)}]`;
}
