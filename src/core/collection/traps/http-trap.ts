import { parseRecord } from '../../kit/json.ts';
import type { Scene } from './persona.ts';
import { type Attempt, decodeBase64, step, type Trap } from './trap.ts';

export const HEAD_MAX = 8192;

export interface HttpHead {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A method is a token (RFC 9110 section 5.6.2), which scripts may choose freely. */
export const REQUEST_LINE = /^([\w!#$%&'*+\-.^`|~]+) \S* ?HTTP\/\d(?:\.\d)?$/;

/**
 * Reads the head of a request without the empty line after it. @returns undefined for bytes that are not HTTP
 */
export function readHttpHead(head: string): HttpHead | undefined {
  const [first = '', ...lines] = head.split(/\r?\n/);
  const method = REQUEST_LINE.exec(first)?.[1];
  if (method === undefined) return undefined;
  return {
    method,
    headers: lines.map(
      (line) => [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1).trim()] as const,
    ),
  };
}

export function findHeadEnd(text: string): { readonly head: string; readonly length: number } | undefined {
  const end = /\r?\n\r?\n/.exec(text.slice(0, HEAD_MAX));
  return end === null ? undefined : { head: text.slice(0, end.index), length: end.index + end[0].length };
}

const headerOf = ({ headers }: HttpHead, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

const BODY_MAX = 4096;

interface State {
  readonly text: string;
}

/**
 * Reads one request per connection (RFC 9112) and answers as nginx or Apache does on a page that needs a
 * password. Offers of credentials are Basic authentication (RFC 7617) and bodies of POST, as a form or JSON,
 * with a field named like a password. The order of the headers and the user agent are the trait.
 */
export const httpTrap = (scene: Scene): Trap<State> => ({
  protocol: 'http',
  open: () => step({ text: '' }),
  receive({ text: before }, bytes) {
    const text = before + bytes;
    const head = findHeadEnd(text);
    if (head === undefined)
      return text.length > HEAD_MAX || !mayBeHttp(text)
        ? step({ text: '' }, { reply: answer('400 Bad Request', scene), end: true })
        : step({ text });
    const request = readHttpHead(head.head);
    if (request === undefined) return step({ text: '' }, { reply: answer('400 Bad Request', scene), end: true });
    const length = bodyLength(request);
    if (text.length - head.length < length) return step({ text });
    const body = text.slice(head.length, head.length + length);
    return step(
      { text: '' },
      {
        reply: answer('401 Unauthorized', scene, request.method !== 'HEAD'),
        attempts: [...basic(request), ...posted(request, body)],
        trait: traitOf(request),
        end: true,
      },
    );
  },
});

/** Headers and page have the order and the words of the imitated server. */
function answer(status: '400 Bad Request' | '401 Unauthorized', { persona, at }: Scene, hasPage = true): string {
  const { web, system, realm } = persona;
  const asks = status === '401 Unauthorized' ? [`WWW-Authenticate: Basic realm="${realm}"`] : [];
  const [server, date] = [`Server: ${system[web]}`, `Date: ${new Date(at).toUTCString()}`];
  const page = web === 'nginx' ? nginxPage(status, system.nginx) : apachePage(status);
  const headers =
    web === 'nginx'
      ? [server, date, 'Content-Type: text/html', `Content-Length: ${page.length}`, 'Connection: close', ...asks]
      : [
          date,
          server,
          ...asks,
          `Content-Length: ${page.length}`,
          'Connection: close',
          'Content-Type: text/html; charset=iso-8859-1',
        ];
  return `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${hasPage ? page : ''}`;
}

function nginxPage(status: string, server: string): string {
  const title = status === '401 Unauthorized' ? '401 Authorization Required' : status;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${server}</center>\r\n</body>\r\n</html>\r\n`;
}

function apachePage(status: string): string {
  const [heading, text] =
    status === '401 Unauthorized'
      ? [
          'Unauthorized',
          "This server could not verify that you\nare authorized to access the document\nrequested.  Either you supplied the wrong\ncredentials (e.g., bad password), or your\nbrowser doesn't understand how to supply\nthe credentials required.",
        ]
      : ['Bad Request', 'Your browser sent a request that this server could not understand.<br />\n'];
  return `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>${status}</title>\n</head><body>\n<h1>${heading}</h1>\n<p>${text}</p>\n</body></html>\n`;
}

const mayBeHttp = (text: string): boolean => /^[\w!#$%&'*+\-.^`|~]*(?: |$)/.test(text);

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

const jsonFields = (body: string): Fields =>
  Object.entries(parseRecord(body) ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

const PASSWORD_ENDS = ['password', 'passwd', 'passphrase', 'pass', 'pwd', 'psw', 'psd'];
const isPasswordField = (name: string): boolean => PASSWORD_ENDS.some((end) => lettersOf(name).endsWith(end));

const USER_FIELDS = new Set([
  'user',
  'username',
  'usr',
  'uname',
  'name',
  'login',
  'loginname',
  'log',
  'email',
  'account',
  'userid',
  'admin',
  'id',
]);
const isUserField = (name: string): boolean => USER_FIELDS.has(lettersOf(name));

function traitOf(request: HttpHead): string {
  const { headers } = request;
  return `${headers.map(([name]) => name).join()} ${headerOf(request, 'user-agent') ?? ''}`;
}
