import type { FastifyReply, FastifyRequest } from 'fastify';
import { queryFields } from '../../../../core/caller/query.ts';
import type { Prefix } from '../../../../core/ip/address.ts';
import { formatPrefix } from '../../../../core/ip/format-address.ts';
import { familyBits, parsePrefix } from '../../../../core/ip/prefix.ts';
import { isReserved } from '../../../../core/ip/special-purpose.ts';
import { type DecisionFilter, decisionJson, passes } from '../../../../core/lists/decision-json.ts';
import { prefixesAllowed } from '../../../../core/policy/allow-list.ts';
import { DEFAULT_POLICY } from '../../../../core/policy/policy.ts';
import { fallsBelowAt } from '../../../../core/risk/explain.ts';
import { knownGoodCapOf } from '../../../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../../../core/risk/parameters.ts';
import { verdict } from '../../../../core/risk/verdict.ts';
import type { DecisionLists, DecisionQuery } from '../../../../service/lists/decision-lists.ts';
import { decisionOn } from '../../../../service/lists/decisions-of.ts';
import { Problem } from '../../../../service/problem.ts';
import { JSON_TYPE } from '../../answer/reply-headers.ts';
import type { Exchange } from '../../exchange.ts';
import type { HttpPlugin } from '../../step.ts';
import { takeOnly } from '../../steps/read.ts';

const METRICS_LIMIT_BYTES = 1024 * 1024;
const ABOUT = ['ip', 'range', 'value'] as const;
const FILTERS = ['scope', 'scopes', 'origins', 'scenarios_containing', 'scenarios_not_containing', 'type'] as const;
/** Newer clients send these; they choose among sources that there are none of here. */
const OF_OTHER_ENGINES = ['community_pull', 'additional_pull', 'dedup', 'simulated'] as const;

export const bouncerRoutes =
  (lists: DecisionLists): HttpPlugin =>
  (app, { services }) => {
    app.get('/v1/decisions', async (request, reply) => {
      reply.type(JSON_TYPE);
      const { exchange } = request;
      takeOnly(exchange, ...ABOUT, ...FILTERS);
      const filter = readFilter(exchange.query);
      if (filter.scopes?.some((scope) => /^(?:ip|range)$/i.test(scope)) === false) return reply.send('null');
      const about = readAbout(exchange.query);
      if (request.method === 'HEAD') return reply.send();
      if (about !== undefined && about.bits === familyBits(about.family))
        return reply.send(decisionAbout(exchange, about, filter));
      return await send(request, reply, { ask: 'all', filter, ...(about && { range: formatPrefix(about) }) });
    });
    app.get('/v1/decisions/stream', async (request, reply) => {
      reply.type(JSON_TYPE);
      const { exchange } = request;
      takeOnly(exchange, 'startup', ...FILTERS, ...OF_OTHER_ENGINES);
      if (request.method === 'HEAD') return reply.send();
      const ask = textOf(exchange.query, 'startup') === 'true' ? 'startup' : 'changes';
      return await send(request, reply, { ask, filter: readFilter(exchange.query) });
    });
    app.get('/v1/heartbeat', async ({ exchange }) => {
      takeOnly(exchange);
      return {};
    });
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, undefined));
      scope.post('/v1/usage-metrics', { bodyLimit: METRICS_LIMIT_BYTES }, async ({ exchange }, reply) => {
        takeOnly(exchange);
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
        policy: key.policy?.document,
        isOwn: account.operator,
        exclude: [...prefixesAllowed(account.allowed, exchange.at), ...(key.policy?.document.allow ?? [])],
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

const textOf = (query: string, name: string): string | undefined =>
  queryFields(query)
    .flatMap(([key, value]) => (key === name && value !== '' ? [value] : []))
    .join() || undefined;

function readFilter(query: string): DecisionFilter {
  const words = (name: (typeof FILTERS)[number]) => textOf(query, name)?.split(',');
  return {
    scopes: words('scopes') ?? words('scope'),
    origins: words('origins'),
    containing: words('scenarios_containing'),
    notContaining: words('scenarios_not_containing'),
    type: textOf(query, 'type'),
  };
}

/**
 * Returns the address or the range that a client asks about.
 * @throws Problem bad_request, invalid_ip
 */
function readAbout(query: string): Prefix | undefined {
  const given = ABOUT.filter((name) => textOf(query, name) !== undefined);
  const [name] = given;
  if (name === undefined) return undefined;
  if (given.length > 1) throw new Problem('bad_request', { message: `Send one of ${ABOUT.join(', ')}.` });
  const prefix = parsePrefix(textOf(query, name)!);
  if (prefix !== undefined && (name !== 'ip' || prefix.bits === familyBits(prefix.family))) return prefix;
  if (name === 'ip') throw new Problem('invalid_ip');
  throw new Problem('bad_request', { message: `${name} is an address or a prefix such as 192.0.2.0/24.` });
}

function decisionAbout(exchange: Exchange, address: Prefix, filter: DecisionFilter): string {
  const { key } = bouncerOf(exchange);
  const { view, at } = exchange;
  if (view === undefined) throw new Problem('not_ready');
  if (isReserved(address)) return 'null';
  const observations = view.observations(address);
  const network = view.network(address);
  const cap = knownGoodCapOf(view.protection, address);
  const found = verdict(observations, network, address.family, at, SCORE_PARAMETERS, cap);
  const { minScore } = key.bouncer!;
  if (found.score < minScore) return 'null';
  const until = fallsBelowAt(minScore, observations, network, address.family, at, SCORE_PARAMETERS, cap) ?? at;
  const decision = decisionOn(found, address, until, key.policy ?? DEFAULT_POLICY);
  return decision === undefined || !passes(decision, filter) ? 'null' : `[${decisionJson(decision, at)}]`;
}
