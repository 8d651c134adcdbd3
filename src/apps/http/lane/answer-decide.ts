import type { ServerResponse } from 'node:http';
import { queryValue } from '../../../core/caller/query.ts';
import type { Address } from '../../../core/ip/address.ts';
import { addressOrder, type Order } from '../../../core/policy/order.ts';
import { type Action, DEFAULT_POLICY, type Policy } from '../../../core/policy/policy.ts';
import { type ReasonDetail, reasonOf } from '../../../core/report/say-order.ts';
import { knownGoodCapOf } from '../../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../../core/risk/parameters.ts';
import { type Verdict, verdict } from '../../../core/risk/verdict.ts';
import type { LookupView } from '../../../service/ports.ts';
import { asProblem, Problem } from '../../../service/problem.ts';
import { answerProblem } from '../answer/answer-problem.ts';
import { type FlatHeaders, headersOf, quotaLines } from '../answer/reply-headers.ts';
import { COUNTED } from '../answer/request-counts.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServices } from '../services.ts';
import { runSteps } from '../step.ts';
import { countRefusal, giveBack } from '../steps/charge.ts';
import { hasLentKey } from '../steps/identify-caller.ts';
import { LOOKUP_CHAINS } from './lookup-chains.ts';
import type { ResponseBatch } from './response-batch.ts';

export const DECIDE_PATH = '/v1/decide';

/** Proxies that append the path of a request ask by its own method. */
export const DECIDE_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const COUNTED_AS = COUNTED.indexOf('decide');

/**
 * Answers whether the client of a request may go on: 204, or 403 with the error body `denied`
 * (docs/enforcement.md).
 */
export function answerDecide(
  exchange: Exchange,
  services: HttpServices,
  batch: ResponseBatch,
  response: ServerResponse,
): void {
  const decide = (): void => {
    const { view, address } = exchange;
    const found = decisionOf(exchange, view!, address!, detailFor(exchange, services));
    const { document } = policyOf(exchange);
    batch.counts.decided(found.action, document.observe);
    const headers = ['X-Pulse-Action', found.action, 'X-Pulse-Reason', found.reason, ...factsOf(found.verdict)];
    if (view!.degraded) headers.push('X-Pulse-Degraded', 1);
    if (document.observe) headers.push('X-Pulse-Observe', 1);
    send(!document.observe && isRefused(found.action, exchange.query) ? 403 : 204, headers);
  };
  const send = (status: 204 | 403, more: FlatHeaders): void => {
    const quota = headersOf(quotaLines(exchange));
    const headers = ['Cache-Control', 'no-store', 'X-Request-Id', exchange.requestId, ...more, ...quota];
    batch.counts.end(response, COUNTED_AS, status);
    batch.answer(response, status, headers, status === 204 ? undefined : DENIED);
  };
  const refuse = (error: unknown): void => {
    if (isLocal(error, exchange)) {
      send(204, ['X-Pulse-Action', 'allow', 'X-Pulse-Reason', 'private or reserved address']);
      return;
    }
    const answer = answerProblem(error, exchange, services.log);
    if (answer.status >= 500 && error === exchange.fault && exchange.address === undefined) batch.counts.clientless();
    if (answer.status >= 500 && policyOf(exchange).document.fail === 'open') {
      send(204, ['X-Pulse-Action', 'allow', 'X-Pulse-Reason', 'no verdict', 'X-Pulse-Degraded', 1]);
      return;
    }
    batch.counts.end(response, COUNTED_AS, answer.status);
    batch.counts.failed(response, answer.code);
    const headers = ['X-Request-Id', exchange.requestId, ...answer.headers];
    if (answer.status === 405) headers.push('Allow', 'GET, HEAD');
    batch.answer(response, answer.status, headers, answer.body);
  };
  const fail = (error: unknown): void => {
    const isCounted = exchange.minute !== undefined || !(error instanceof Problem);
    const waiting = isCounted ? giveBack(exchange, services) : countRefusal(exchange, services);
    if (waiting === undefined) refuse(error);
    else waiting.then(() => refuse(error), refuse);
  };
  try {
    const waiting = runSteps(LOOKUP_CHAINS.decide, exchange, services);
    if (waiting === undefined) decide();
    else waiting.then(decide).catch(fail);
  } catch (error) {
    fail(error);
  }
}

const DENIED = JSON.stringify(asProblem(new Problem('denied')).body());

const policyOf = ({ caller }: Exchange): Policy =>
  (caller?.kind === 'key' ? caller.key.policy : undefined) ?? DEFAULT_POLICY;

const isRefused = (action: Action, query: string): boolean =>
  action === 'deny' || (action === 'challenge' && query !== '' && queryValue(query, 'challenge') === '403');

interface Decision extends Order {
  readonly reason: string;
  readonly verdict: Verdict;
}

function decisionOf(exchange: Exchange, view: LookupView, address: Address, detail: ReasonDetail): Decision {
  const observations = view.observations(address);
  const cap = knownGoodCapOf(view.protection, address);
  const found = verdict(observations, view.network(address), address.family, exchange.at, SCORE_PARAMETERS, cap);
  const order = addressOrder(policyOf(exchange), found, address);
  return { ...order, reason: reasonOf(order, found, detail), verdict: found };
}

/**
 * Times are for accounts with a data-processing agreement, days for the professional tier (interface,
 * "Evidence"). What a lent key is told may reach a visitor.
 */
function detailFor(exchange: Exchange, services: HttpServices): ReasonDetail {
  const { caller } = exchange;
  if (caller?.kind !== 'key' || caller.account.dataTier !== 'professional' || hasLentKey(exchange, services))
    return 'types';
  return caller.account.dpa ? 'times' : 'freshness';
}

const factsOf = ({ score, state }: Verdict): FlatHeaders => ['X-Pulse-Score', score, 'X-Pulse-State', state];

/** A client on a network without verdicts costs no lookup; a text of the caller does. */
const isLocal = (error: unknown, { address }: Exchange): boolean =>
  error instanceof Problem && error.code === 'reserved_ip' && address !== undefined;
