import { asProblem } from '../../service/problem.ts';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { CustomOIDCProviderError } from './authorization-server.ts';

/** The error of RFC 6749, 4.1.2.1 for a server that cannot answer for the moment. */
export const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable';

/**
 * Asks a store for the authorization server, whose library would call its absence a server_error of its own: it becomes the protocol's
 * temporarily_unavailable with status 503, which the library passes on in whatever form the endpoint answers.
 */
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
