import { parseRecord } from '../../core/kit/json.ts';

const ANSWER_MS = 60_000;

export interface ServiceRequest {
  readonly url: string;
  /** Never logged; undefined asks without a key. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  readonly onHead?: (headers: Headers) => void;
}

export interface ServiceAnswer<Body> {
  /** `status` is 0 without an answer; `body` is {} where it is not JSON. */
  readonly status: number;
  readonly body: Partial<Body> & { readonly error?: { readonly code?: string; readonly message?: string } };
  readonly retryAfterMs: number | undefined;
  /**
   * Gives status and code of a refusal, or the fault without the address, which may name a host behind a
   * firewall.
   */
  readonly reason: string;
}

/**
 * Sends one POST to a Pulse service. It follows no redirect, because the key is for this address alone.
 * @throws only the reason of the signal
 */
export async function callService<Body>(request: ServiceRequest): Promise<ServiceAnswer<Body>> {
  const { url, key, headers, body: sent, signal, onHead } = request;
  const deadline = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...(key !== undefined && { 'x-api-key': key }) },
      body: sent,
      redirect: 'manual',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    onHead?.(response.headers);
    const body = (parseRecord(await response.text()) ?? {}) as ServiceAnswer<Body>['body'];
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      body,
      retryAfterMs: seconds > 0 && Number.isFinite(seconds) ? seconds * 1000 : undefined,
      reason: `${response.status} ${body.error?.code ?? ''}`.trim(),
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { status: 0, body: {}, retryAfterMs: undefined, reason: faultName(error) };
  }
}

function faultName(error: unknown): string {
  const { cause, name } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
}
