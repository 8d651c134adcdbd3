import { StoreUnavailable } from '../../service/store-unavailable.ts';

/** The error of RFC 6749, 4.1.2.1 for a server that cannot answer for the moment. */
export const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable';

/** An error of `forProvider`, met outside the library, as the fault of the store that it was. Anything else stays as it is. */
export const storeFault = (error: unknown): unknown =>
  error instanceof Error && 'error' in error && error.error === TEMPORARILY_UNAVAILABLE
    ? new StoreUnavailable(error.cause)
    : error;
