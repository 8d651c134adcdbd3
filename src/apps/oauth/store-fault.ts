import { StoreUnavailable } from '../../service/store-fault.ts';

/** RFC 6749 4.1.2.1 names this error of a server that cannot answer for the moment. */
export const TEMPORARILY_UNAVAILABLE = 'temporarily_unavailable';

/** Turns an error of `forProvider` back into the fault of the store. Any other error is returned unchanged. */
export const storeFault = (error: unknown): unknown =>
  error instanceof Error && 'error' in error && error.error === TEMPORARILY_UNAVAILABLE
    ? new StoreUnavailable(error.cause)
    : error;
