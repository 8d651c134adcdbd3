import { ERRORS, type ErrorCode, type ErrorRow } from '../../../contract/errors.ts';
import { asProblem, type Problem } from '../../../service/problem.ts';
import type { Exchange } from '../exchange.ts';
import type { Log } from '../services.ts';
import { type FlatHeaders, headersOf, quotaLines } from './reply-headers.ts';

export interface ProblemAnswer {
  readonly code: ErrorCode;
  readonly status: number;
  /** The lane adds Content-Type, Content-Length and X-Request-Id. */
  readonly headers: FlatHeaders;
  readonly body: string;
}

/**
 * Every error becomes an answer here, on every path and in both lanes. A store that cannot be asked is
 * not_ready. Anything else that is not a `Problem` is our fault: it is logged whole, and the caller gets only
 * internal_error and the request id.
 */
export function answerProblem(
  error: unknown,
  exchange: Pick<Exchange, 'minute' | 'day' | 'requestId'>,
  log: Log,
): ProblemAnswer {
  const problem = asProblem(error);
  if (problem.status >= 500) logFault(problem, exchange.requestId, log);
  const row: ErrorRow = ERRORS[problem.code];
  const retryAfter = problem.extras.retry_after ?? row.retryAfterSec;
  const headers: FlatHeaders = ['Cache-Control', 'no-store'];
  if (retryAfter !== undefined) headers.push('Retry-After', retryAfter);
  if (problem.status === 401) headers.push('WWW-Authenticate', 'Bearer');
  headers.push(...headersOf(quotaLines(exchange, problem.code)));
  const body = problem.body();
  return {
    code: problem.code,
    status: problem.status,
    headers,
    body: JSON.stringify(
      retryAfter === undefined || body.error.retry_after !== undefined
        ? body
        : { error: { ...body.error, retry_after: retryAfter } },
    ),
  };
}

function logFault(problem: Problem, requestId: string, log: Log): void {
  // Refusals while data loads or the ledger cannot write are no faults of their own, and there may be very
  // many.
  if (problem.code === 'phone_disabled' || (problem.code === 'not_ready' && problem.cause === undefined)) return;
  if (problem.code === 'quota_unavailable' && problem.cause === undefined && problem.detail === undefined) return;
  log.error(
    { request_id: requestId, code: problem.code, detail: problem.detail, error: problem.cause ?? problem },
    'request failed',
  );
}
