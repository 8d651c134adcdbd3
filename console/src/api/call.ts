import type { ErrorBody, ErrorExtras } from '../../../src/contract/errors.ts';

/** A refusal in the contract's words, or `offline` when nothing answered. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly extras: ErrorExtras;

  constructor(code: string, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.name = 'ApiProblem';
    this.code = code;
    this.extras = extras;
  }
}

/** Proof that a request comes from this site's own page; given with the session, kept in memory only. */
let csrf: string | undefined;
export const keepCsrf = (token: string | undefined): void => {
  csrf = token;
};

/**
 * One request to the console's JSON endpoints with the session cookie.
 * @param path below /console/api
 * @throws ApiProblem
 */
export async function call<Body>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(`/console/api${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' || csrf === undefined ? {} : { 'x-csrf-token': csrf }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiProblem('offline', '');
  }
  if (response.status === 204) return undefined as Body;
  const parsed: unknown = await response.json().catch(() => undefined);
  if (response.ok) return parsed as Body;
  const { code, message, ...extras } = (parsed as ErrorBody | undefined)?.error ?? { code: 'internal_error', message: response.statusText };
  throw new ApiProblem(code, message, extras);
}
