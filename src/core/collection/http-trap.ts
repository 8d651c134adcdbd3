import { decodeBase64 } from './decode-base64.ts';
import { findHeadEnd, HEAD_MAX, type HttpHead, headerOf, readHttpHead } from './http-head.ts';
import { type Attempt, step, type Trap } from './trap.ts';

/** Body of a log-in form, bytes; a longer one is not read. */
const BODY_MAX = 4096;

interface State {
  readonly text: string;
}

const PAGE =
  '<!doctype html><title>Sign in</title><form method="post"><input name="username"><input name="password" type="password"><button>Sign in</button></form>\n';
const REFUSAL = answer('401 Unauthorized', 'WWW-Authenticate: Basic realm="private"\r\nContent-Type: text/html\r\n', PAGE);
const NOT_HTTP = answer('400 Bad Request', '', '');

/**
 * One request a connection (RFC 9112), answered with 401, Basic authentication and a log-in form. Offers of credentials are Basic authentication (RFC 7617) and
 * bodies of POST, as a form or JSON, with a field that is named like a password. The order of the headers and the user agent are the trait.
 */
export const httpTrap: Trap<State> = {
  protocol: 'http',
  open: () => step({ text: '' }),
  receive({ text: before }, bytes) {
    const text = before + bytes;
    const head = findHeadEnd(text);
    if (head === undefined) return text.length > HEAD_MAX || !mayBeHttp(text) ? step({ text: '' }, { reply: NOT_HTTP, end: true }) : step({ text });
    const request = readHttpHead(head.head);
    if (request === undefined) return step({ text: '' }, { reply: NOT_HTTP, end: true });
    const length = bodyLength(request);
    if (text.length - head.length < length) return step({ text });
    const body = text.slice(head.length, head.length + length);
    return step({ text: '' }, { reply: replyTo(request), attempts: [...basic(request), ...posted(request, body)], trait: traitOf(request), end: true });
  },
};

function answer(status: string, headers: string, body: string): string {
  return `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}

const replyTo = ({ method }: HttpHead): string => (method === 'HEAD' ? REFUSAL.slice(0, -PAGE.length) : REFUSAL);

/** Whether a request may still come of it: TLS and other protocols begin otherwise. */
const mayBeHttp = (text: string): boolean => /^[\w!#$%&'*+\-.^`|~]*(?: |$)/.test(text);

/** Bytes of body to wait for: 0 where it is too long to be a log-in. */
function bodyLength(request: HttpHead): number {
  const length = Number(headerOf(request, 'content-length') ?? 0);
  return request.method === 'POST' && Number.isInteger(length) && length > 0 && length <= BODY_MAX ? length : 0;
}

function basic(request: HttpHead): readonly Attempt[] {
  const sent = /^basic +(\S+)$/i.exec(headerOf(request, 'authorization') ?? '')?.[1];
  const pair = sent === undefined ? undefined : decodeBase64(sent);
  const colon = pair?.indexOf(':') ?? -1;
  return pair === undefined || colon < 0 ? [] : [{ user: pair.slice(0, colon), secret: pair.slice(colon + 1) }];
}

function posted(request: HttpHead, body: string): readonly Attempt[] {
  if (request.method !== 'POST' || body === '') return [];
  const fields = body.startsWith('{') ? jsonFields(body) : formFields(body);
  const secret = fields.find(([name]) => isPasswordField(name))?.[1];
  return secret === undefined ? [] : [{ user: fields.find(([name]) => isUserField(name))?.[1] ?? '', secret }];
}

type Fields = readonly (readonly [name: string, value: string])[];

const formFields = (body: string): Fields => [...new URLSearchParams(body)];

function jsonFields(body: string): Fields {
  try {
    return Object.entries(JSON.parse(body) as object).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  } catch {
    return [];
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

const PASSWORD_ENDS = ['password', 'passwd', 'passphrase', 'pass', 'pwd', 'psw', 'psd'];
const isPasswordField = (name: string): boolean => PASSWORD_ENDS.some((end) => lettersOf(name).endsWith(end));

const USER_FIELDS = new Set(['user', 'username', 'usr', 'uname', 'name', 'login', 'loginname', 'log', 'email', 'account', 'userid', 'admin', 'id']);
const isUserField = (name: string): boolean => USER_FIELDS.has(lettersOf(name));

function traitOf(request: HttpHead): string {
  const { headers } = request;
  return `${headers.map(([name]) => name).join()} ${headerOf(request, 'user-agent') ?? ''}`;
}
