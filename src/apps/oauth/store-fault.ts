import { asProblem } from '../../service/problem.ts';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { CustomOIDCProviderError } from './authorization-server.ts';

/** The error of RFC 6749, 4.1.2.1 for a server that cannot answer for the moment. */
export const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable';

/** A store that is away becomes temporarily_unavailable; the library would call it a server_error. */
export async function forProvider<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (asProblem(cause).code !== 'not_ready') throw cause;
    const away = new CustomOIDCProviderError(
      TEMPORARILY_UNAVAILABLE,
      'the service cannot reach its records now; try again shortly',
    );
    throw Object.assign(away, { status: 503, statusCode: 503, cause });
  }
}

/** The other way: an error of `forProvider`, met outside the library. Anything else stays as it is. */
export const storeFault = (error: unknown): unknown =>
  error instanceof CustomOIDCProviderError && error.error === TEMPORARILY_UNAVAILABLE
    ? new StoreUnavailable(error.cause)
    : error;
