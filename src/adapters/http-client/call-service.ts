import { parseRecord } from '../../core/kit/json.ts';

/** A service that takes longer is asked again. */
const ANSWER_MS = 60_000;

export interface ServiceRequest {
  /** With its path and query. */
  readonly url: string;
  /** Never logged; undefined: asked without a key. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
  /** Called when the head of the answer is there. */
  readonly onHead?: (headers: Headers) => void;
}

export interface ServiceAnswer<Body> {
  /** 0: there was no answer. */
  readonly status: number;
  /** The parsed body, {} where it is not JSON. */
  readonly body: Partial<Body> & { readonly error?: { readonly code?: string; readonly message?: string } };
  /** As the service asked. */
  readonly retryAfterMs: number | undefined;
  /** Status and code of a refusal, or the fault without the address: it may name a host behind a firewall. */
  readonly reason: string;
}

/**
 * One POST to a service of Pulse. A redirect is not followed: the key is for this address alone.
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

/** The code of a fault of the network, else the error's name. */
function faultName(error: unknown): string {
  const { cause, name } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? name;
}
