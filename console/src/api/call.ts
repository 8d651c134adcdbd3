import type { ErrorBody, ErrorDetail } from '../../../src/contract/documents.ts';

/** A refusal in the contract's words, or `offline` when nothing answered. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly extras: ErrorDetail;

  constructor(code: string, message: string, extras: ErrorDetail = {}) {
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

/** The same proof for the page's own worker, which sends requests by itself. */
export const keptCsrf = (): string | undefined => csrf;

/** Asks the person to prove again who they are; true when they did. Set while the console is shown. */
let askIdentity: (() => Promise<boolean>) | undefined;
export const keepIdentityDialog = (ask: (() => Promise<boolean>) | undefined): void => {
  askIdentity = ask;
};

/** Hears that the session has ended: the service knows it no more. */
let sessionEnd: (() => void) | undefined;
export const keepSessionEnd = (end: (() => void) | undefined): void => {
  sessionEnd = end;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One request to the console's JSON endpoints with the session cookie. One that needs a fresh sign-in asks
 * for it and is sent once more.
 * @param path below /console/api
 * @throws ApiProblem
 */
export async function call<Body>(method: Method, path: string, body?: unknown): Promise<Body> {
  try {
    return await send<Body>(method, path, body);
  } catch (error) {
    const stale =
      error instanceof ApiProblem && error.code === 'forbidden' && error.extras.next_step === 'confirm_identity';
    if (!stale || (await askIdentity?.()) !== true) throw error;
    return await send<Body>(method, path, body);
  }
}

async function send<Body>(method: Method, path: string, body: unknown): Promise<Body> {
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
  const { code, message, ...extras } = (parsed as ErrorBody | undefined)?.error ?? {
    code: 'internal_error',
    message: response.statusText,
  };
  if (code === 'sign_in_required') sessionEnd?.();
  throw new ApiProblem(code, message, extras);
}
