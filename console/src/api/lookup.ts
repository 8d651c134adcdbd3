import type { ErrorBody, IPRisk } from '../../../src/contract/documents.ts';
import type { ExplainedVerdict, Timeline } from '../../../src/contract/timeline.ts';

/** Rest of the daily allowance, as the response headers say it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export interface LookupFailure {
  /** A code of the error table; `offline` where nothing answered. */
  readonly code: string;
  readonly message?: string;
  readonly retryAfterSec?: number | undefined;
  readonly resetsAt?: Date | undefined;
  /** Earliest moment that can be answered. */
  readonly windowFrom?: string | undefined;
}

/** A verdict, or why there is none. */
export interface LookupOutcome {
  readonly body?: IPRisk | ExplainedVerdict | Timeline;
  readonly failure?: LookupFailure;
  readonly allowance?: Allowance | undefined;
}

const number = (value: string | null): number | undefined =>
  value === null || value === '' ? undefined : Number(value);

const allowanceOf = (headers: Headers): Allowance | undefined => {
  const limit = number(headers.get('x-daily-limit'));
  const remaining = number(headers.get('x-daily-remaining'));
  const reset = number(headers.get('x-daily-reset'));
  return limit === undefined || remaining === undefined || reset === undefined
    ? undefined
    : { limit, remaining, resetsAt: new Date(reset * 1000) };
};

/**
 * Asks for a verdict: GET /v1/ip/{ip}, the very endpoint every other caller uses, or the console's with evidence.
 * Never throws unless aborted: a refused lookup is a value with the contract's code.
 */
export async function lookup(path: string, signal: AbortSignal): Promise<LookupOutcome> {
  try {
    const response = await fetch(path, { headers: { accept: 'application/json' }, signal });
    const body: unknown = await response.json();
    const allowance = allowanceOf(response.headers);
    if (response.ok) return { body: body as IPRisk, allowance };
    const { code, message, retry_after, resets_at, window_from } = (body as ErrorBody).error;
    const failure: LookupFailure = {
      code,
      message,
      retryAfterSec: number(response.headers.get('retry-after')) ?? retry_after,
      resetsAt: resets_at === undefined ? allowance?.resetsAt : new Date(resets_at),
      windowFrom: window_from,
    };
    return { failure, allowance };
  } catch (error) {
    if (signal.aborted) throw error;
    return { failure: { code: 'offline' } };
  }
}
