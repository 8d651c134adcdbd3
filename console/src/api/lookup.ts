import type { ErrorBody, IPRisk } from '../../../src/contract/documents.ts';

/** Rest of the daily allowance, as the response headers say it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export type LookupOutcome =
  | {
      readonly kind: 'verdict';
      readonly document: IPRisk;
      readonly text: string;
      readonly allowance: Allowance | undefined;
    }
  | {
      readonly kind: 'problem';
      readonly code: string;
      readonly message: string;
      readonly retryAfterSec: number | undefined;
      readonly resetsAt: Date | undefined;
      readonly allowance: Allowance | undefined;
    }
  | { readonly kind: 'offline' };

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
 * Asks GET /v1/ip/{ip}, the very endpoint every other caller uses; the page has no private one.
 * Never throws: a refused lookup is a value with the contract's code.
 */
export async function lookup(ip: string, signal?: AbortSignal): Promise<LookupOutcome> {
  try {
    const response = await fetch(`/v1/ip/${encodeURIComponent(ip)}`, {
      headers: { accept: 'application/json' },
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const allowance = allowanceOf(response.headers);
    if (response.ok) return { kind: 'verdict', document: JSON.parse(text) as IPRisk, text, allowance };
    const { error } = JSON.parse(text) as ErrorBody;
    const retry = number(response.headers.get('retry-after')) ?? error.retry_after;
    const resets = error.resets_at === undefined ? allowance?.resetsAt : new Date(error.resets_at);
    return {
      kind: 'problem',
      code: error.code,
      message: error.message,
      retryAfterSec: retry,
      resetsAt: resets,
      allowance,
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { kind: 'offline' };
  }
}
