import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorCode } from '../../contract/errors.ts';
import { pathOf } from './fast-lane.ts';

/** Value of the Allow header for a path and query, or undefined when nothing has this path. */
export type AllowedMethods = (target: string) => string | undefined | Promise<string | undefined>;

interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

interface Refusal {
  readonly code: ErrorCode;
  readonly allow?: string;
}

const ANY_METHOD = 'GET, HEAD, POST, OPTIONS';

/** Answers for what never becomes a request, in place of any other listener's. */
export function refuseWhatIsNoRequest(server: Server, nextId: () => string, allowedMethods: AllowedMethods): void {
  for (const event of ['clientError', 'connect', 'checkExpectation']) server.removeAllListeners(event);
  server.on('clientError', async (error: ParseError, socket) => {
    const refusal = await refusalOf(error, allowedMethods);
    refuseInTurn(socket, () => refuseRaw(socket, refusal, nextId()));
  });
  server.on('connect', (_request, socket) => refuseRaw(socket, { code: 'method_not_allowed', allow: ANY_METHOD }, nextId()));
  server.on('checkExpectation', (_request, response: ServerResponse) => refuseRaw(response.socket!, { code: 'bad_request' }, nextId()));
}

async function refusalOf(error: ParseError, allowedMethods: AllowedMethods): Promise<Refusal> {
  if (error.code === 'HPE_HEADER_OVERFLOW') return { code: 'payload_too_large' };
  const target = error.code === 'HPE_INVALID_METHOD' ? targetOf(error) : undefined;
  if (target === undefined) return { code: 'bad_request' };
  const allow = await allowedMethods(pathOf(target));
  return allow === undefined ? { code: 'not_found' } : { code: 'method_not_allowed', allow };
}

/** RFC 9112, 3: a method is any token. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ ([\x21-\x7e]+) HTTP\/1\.[01]\r?$/;
const SPACE = 0x20;
const LINE_FEED = 0x0a;

/** The target of a request line with a method the parser does not know, or undefined when it is no request line. */
function targetOf({ rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  if (rawPacket === undefined) return undefined;
  const end = rawPacket.indexOf(LINE_FEED, bytesParsed);
  if (end < 0) return undefined;
  // The parser stops somewhere in the method; there may be other requests before it.
  let start = bytesParsed;
  while (start > 0 && rawPacket[start - 1]! > SPACE) start -= 1;
  return REQUEST_LINE.exec(rawPacket.toString('latin1', start, end))?.[1];
}

/** `ServerResponse` that node:http is writing to a connection now. */
interface Answering extends Duplex {
  readonly _httpMessage?: ServerResponse | null;
}

/** Whole requests that came before on the same connection are answered first: they were counted, and an answer in their place would be taken for theirs. */
function refuseInTurn(socket: Answering, refuse: () => void): void {
  const before = socket._httpMessage;
  if (!before) refuse();
  else if (before.req.complete) before.once('close', () => setImmediate(refuseInTurn, socket, refuse));
  else if (before.headersSent) socket.destroy();
  else refuse();
}

/** Answers what is no HTTP request any more: the error body by hand, and the connection ends. */
function refuseRaw(socket: Duplex, { code, allow }: Refusal, requestId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = ERRORS[code];
  const body = JSON.stringify({ error: { code, message } });
  const lines = [
    `HTTP/1.1 ${status} ${code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
