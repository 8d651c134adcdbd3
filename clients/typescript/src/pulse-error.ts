import type { ErrorBody } from './openapi.generated.ts';

/** Codes of the service, and those of the way to it. The service's may grow. */
export type PulseErrorCode =
  | ErrorBody['error']['code']
  /** The time for the call ran out. */
  | 'timeout'
  /** No answer came: refused, cut off, no such host. */
  | 'network'
  /** The answer is not one of Pulse: a proxy's page, half a body. */
  | 'invalid_answer';

export interface PulseErrorDetails {
  readonly status?: number | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly body?: ErrorBody['error'] | undefined;
  readonly cause?: unknown;
}

/** Why a call has no result. Branch on `code`; the message may change. */
export class PulseError extends Error {
  readonly code: PulseErrorCode;
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** Seconds after which another attempt may succeed; undefined where the answer does not say. */
  readonly retryAfter: number | undefined;
  /** Quote it when reporting a problem. */
  readonly requestId: string | undefined;
  /** The error object of the service, with its optional keys (`resets_at`, `window_from`, `signup_url` …). */
  readonly body: ErrorBody['error'] | undefined;

  constructor(code: PulseErrorCode, message: string, details: PulseErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'PulseError';
    this.code = code;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
    this.body = details.body;
  }
}

/** The error of an answer that is not a 2xx. */
export function errorOfAnswer(response: Response, text: string): PulseError {
  const body = errorObject(text);
  const details = { status: response.status, requestId: response.headers.get('x-request-id') ?? undefined, body };
  const retryAfter = secondsOf(response.headers.get('retry-after')) ?? body?.retry_after;
  if (body === undefined)
    return new PulseError('invalid_answer', `Status ${response.status} without an error body of Pulse.`, {
      ...details,
      retryAfter,
    });
  return new PulseError(body.code, body.message, { ...details, retryAfter });
}

function errorObject(text: string): ErrorBody['error'] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>;
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Retry-After in seconds; its other form, a date, is one that proxies send. */
function secondsOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const then = Date.parse(value);
  return Number.isNaN(then) ? undefined : Math.max(0, Math.ceil((then - Date.now()) / 1000));
}
