import { ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import { REDIRECT } from '../oauth-client.ts';
import type { DrawnRequest } from './draw-request.ts';
import type { World } from './make-world.ts';

export interface RequestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export function judgeAnswer(drawn: DrawnRequest, { status, headers, text }: RequestAnswer, world: World) {
  const about = `${status} ${text.slice(0, 300)}`;
  if (status >= 500 || status < 200) return about;
  if (headers['x-request-id'] === undefined) return `no request id: ${about}`;
  if (world.secrets.some((secret) => text.includes(secret))) return `a secret is repeated: ${about}`;
  const location = headers['location'];
  if (typeof location === 'string' && !isOwn(location, world.base)) return `redirected to ${location}`;
  if (drawn.method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? undefined : `a body where none may be: ${about}`;
  // Browsers show no body of a redirect.
  if (typeof location === 'string') return undefined;
  if (/^text\/html/.test(String(headers['content-type'] ?? ''))) return pageFault(headers, about);
  if (/"code":-32603\b/.test(text)) return `an internal error: ${about}`;
  return status < 400 ? undefined : refusalFault(status, text, about);
}

/** Redirects lead to this site, or to where the registered client said. */
const isOwn = (location: string, base: string): boolean => {
  const { origin } = new URL(location, base);
  return origin === base || origin === new URL(REDIRECT).origin;
};

function pageFault(headers: RequestAnswer['headers'], about: string): string | undefined {
  const policy = String(headers['content-security-policy'] ?? '');
  if (!/frame-ancestors 'none'/.test(policy) || /unsafe-inline|unsafe-eval/.test(policy.replace(/style-src[^;]*/, '')))
    return `a page with the policy ${policy}: ${about}`;
  return headers['x-content-type-options'] === 'nosniff' ? undefined : `a page without nosniff: ${about}`;
}

function refusalFault(status: number, text: string, about: string): string | undefined {
  let document: { readonly error?: unknown; readonly jsonrpc?: unknown };
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    return `a refusal that is not JSON: ${about}`;
  }
  const { error, jsonrpc } = document;
  if (typeof error === 'string') return /^[a-z_]+$/.test(error) ? undefined : about;
  if (jsonrpc !== undefined)
    return Number.isInteger((error as { readonly code?: unknown } | undefined)?.code) ? undefined : about;
  const { code, message: words } = (error ?? {}) as { readonly code?: ErrorCode; readonly message?: unknown };
  if (code === undefined || !Object.hasOwn(ERRORS, code)) return `not an error of the contract: ${about}`;
  return ERRORS[code].status === status && typeof words === 'string' && words !== ''
    ? undefined
    : `not as the contract has it: ${about}`;
}
