import { errorOfAnswer, PulseError } from './pulse-error.ts';

export interface TransportOptions {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  /** Attempts after the first. */
  readonly retries: number;
  readonly fetch: typeof fetch;
}

export interface Call {
  /** Below the base URL, with its query. */
  readonly path: string;
  /** JSON text of a POST; undefined: GET. */
  readonly body?: string;
  readonly accept: string;
  /** For the whole call: every attempt, every wait and the reading of the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** First wait after a failure that names none; doubles each time, and a random half of it is left out. */
const FIRST_WAIT_MS = 100;
/** Refusals that pass by themselves. A used-up day is none of them: its Retry-After is hours. */
const PASSING: ReadonlySet<string> = new Set([
  'rate_limited',
  'not_ready',
  'history_unavailable',
  'quota_unavailable',
  'upstream_unavailable',
]);

/** Sends requests, again where that can help and costs nothing twice, within one deadline. */
export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * The body of a good answer, as text.
   * @throws PulseError; the reason of the caller's signal when that ends the call
   */
  async send(call: Call): Promise<string> {
    call.signal?.throwIfAborted();
    const deadline = Date.now() + call.timeoutMs;
    const ending = endingOf(call);
    try {
      for (let attempt = 0; ; attempt++) {
        const result = await this.#once(call, ending.signal);
        if (typeof result === 'string') return result;
        const waitMs = attempt < this.#options.retries ? waitAfter(result, call, attempt) : undefined;
        if (waitMs === undefined || Date.now() + waitMs >= deadline) throw result;
        await pause(waitMs, ending.signal);
      }
    } finally {
      ending.stop();
    }
  }

  async #once(call: Call, signal: AbortSignal): Promise<string | PulseError> {
    const { baseUrl, key, fetch: send } = this.#options;
    const headers: Record<string, string> = { accept: call.accept };
    if (key !== undefined) headers['x-api-key'] = key;
    if (call.body !== undefined) headers['content-type'] = 'application/json';
    // A redirect would carry the key elsewhere, so its answer is taken as it is; a verdict from a cache is
    // one of another moment.
    const init: RequestInit = {
      method: call.body === undefined ? 'GET' : 'POST',
      headers,
      signal,
      redirect: 'manual',
      cache: 'no-store',
    };
    if (call.body !== undefined) init.body = call.body;
    try {
      const response = await send(baseUrl + call.path, init);
      const text = await response.text();
      return response.ok ? text : errorOfAnswer(response, text);
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      return new PulseError('network', 'No answer from the service.', { cause });
    }
  }
}

/**
 * Milliseconds to wait before the next attempt; undefined: there is none. Without an answer nobody knows
 * whether a batch was charged, so it is not sent again; a refusal is never charged.
 */
function waitAfter(error: PulseError, call: Call, attempt: number): number | undefined {
  const grown = FIRST_WAIT_MS * 2 ** attempt * (0.5 + Math.random() / 2);
  if (error.code === 'network') return call.body === undefined ? grown : undefined;
  // A proxy in front, while the service behind it starts.
  const passes =
    PASSING.has(error.code) ||
    (error.code === 'invalid_answer' && [502, 503, 504].includes(error.status ?? 0) && call.body === undefined);
  if (!passes) return undefined;
  return error.retryAfter === undefined ? grown : Math.max(grown, error.retryAfter * 1000);
}

interface Ending {
  readonly signal: AbortSignal;
  stop(): void;
}

/** A signal that ends with the caller's or with the time for the call, whichever is first. */
function endingOf({ timeoutMs, signal }: Call): Ending {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new PulseError('timeout', `No answer within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  const follow = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', follow);
    },
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
