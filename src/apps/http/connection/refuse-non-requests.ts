import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { headersOf } from '../answer/reply-headers.ts';
import { pathOf } from '../lane/fast-lane.ts';
import type { Log } from '../services.ts';
import { type ClosingConnections, dropBody } from './closing-connections.ts';
import { endRequests, limitPipelined } from './limit-connections.ts';

/** Returns the Allow header for a path and query, or undefined when nothing has this path. */
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

export interface NoRequestOptions {
  readonly nextId: () => string;
  readonly always: string;
  readonly allowedMethods: AllowedMethods;
  readonly closing: ClosingConnections;
  readonly log: Log;
}

/**
 * Answers bytes that never become a request, in place of any other listener. No listener here throws: a fault
 * ends only its own connection.
 */
export function refuseNonRequests(
  server: Server,
  { nextId, always, allowedMethods, closing, log }: NoRequestOptions,
): void {
  const refuse = (socket: Socket, refusal: Refusal): void =>
    refuseInTurn(socket, (answered) =>
      closing.close(socket, answered ? undefined : rawAnswer(refusal, nextId(), always)),
    );
  const listeners = {
    clientError: async (error: ParseError, socket: Duplex): Promise<void> => {
      // The parser reports the same error again with everything that follows it.
      if (!(socket instanceof Socket) || closing.has(socket)) return;
      closing.take(socket);
      // Browsers open connections ahead of need: an answer to nothing would be taken for that of their next request.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return closing.close(socket, undefined);
      refuse(socket, await refusalOf(error, allowedMethods));
    },
    connect: ({ socket }: IncomingMessage, stream: Duplex): void => {
      // node:http has released the connection without an error listener. While there is a body, a stream of
      // its own stands before it.
      if (stream !== socket) stream.on('error', () => {});
      closing.take(socket);
      refuse(socket, { code: 'method_not_allowed', allow: ANY_METHOD });
    },
    checkExpectation: (request: IncomingMessage, response: ServerResponse): void => {
      if (dropsNextRequest(request)) response.shouldKeepAlive = false;
      limitPipelined(request.socket, response);
      dropBody(request, response);
      const { status, headers, body } = answerOf({ code: 'bad_request' }, nextId(), always);
      response.writeHead(status, headersOf(headers)).end(body);
    },
  };
  for (const [event, listener] of Object.entries(listeners)) {
    server.removeAllListeners(event);
    server.on(event, (...parts: { destroy?(): void }[]) => {
      Promise.try(listener as (...parts: unknown[]) => unknown, ...parts).catch((error: unknown) => {
        log.error({ error, event }, 'a connection ended by a fault of ours');
        for (const part of parts) part.destroy?.();
      });
    });
  }
}

interface Reading extends Socket {
  readonly parser?: { getCurrentBuffer?(): Buffer | undefined } | null;
}

/**
 * Returns whether the bytes behind this request may be lost. After an Upgrade header the parser drops bytes
 * that came in the same piece, perhaps a further request. The connection then ends, and the client knows to
 * send that one again.
 */
export function dropsNextRequest({ headers, socket }: IncomingMessage): boolean {
  if (headers.upgrade === undefined) return false;
  const piece = (socket as Reading).parser?.getCurrentBuffer?.();
  if (piece === undefined || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return true;
  // The head must begin in this piece and end with it: otherwise the end may be that of another request's head.
  return piece[0]! < SPACE || piece.indexOf('\r\n\r\n') !== piece.length - 4;
}

/**
 * Judges the coding of a body (RFC 9112, 6.1): any but chunked alone is answered 501, and the connection
 * ends, as it does for a coding in HTTP/1.0.
 * @returns a function that says whether it has answered
 */
export const transferRefuser =
  (nextId: () => string, always: string) =>
  (
    { headers: { 'transfer-encoding': coding }, httpVersionMinor, socket }: IncomingMessage,
    response: ServerResponse,
  ) => {
    const isKnown = coding?.toLowerCase() === 'chunked';
    if (coding === undefined || (isKnown && httpVersionMinor > 0)) return false;
    endRequests(socket, response);
    if (isKnown) return false;
    const { headers, body } = answerOf({ code: 'bad_request' }, nextId(), always);
    response.writeHead(501, headersOf(headers)).end(body);
    return true;
  };

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

/** Returns the target of a request line whose method the parser does not know; undefined for other bytes. */
function targetOf({ rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  if (rawPacket === undefined) return undefined;
  const end = rawPacket.indexOf(LINE_FEED, bytesParsed);
  if (end < 0) return undefined;
  // The parser stops somewhere in the method; there may be other requests before it.
  let start = bytesParsed;
  while (start > 0 && rawPacket[start - 1]! > SPACE) start -= 1;
  return REQUEST_LINE.exec(rawPacket.toString('latin1', start, end))?.[1];
}

/** node:http keeps here the answer that it writes, and the request that it read last. */
interface Answering extends Socket {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/**
 * Complete requests before this one on the same connection are answered first: they were counted, and an
 * answer in their place would be taken for theirs.
 * @param refuse is given whether the broken request has its answer already, so that a second one would be
 * taken for the next request's
 */
function refuseInTurn(socket: Answering, refuse: (answered: boolean) => void): void {
  const before = socket._httpMessage;
  if (!before) refuse(socket.parser?.incoming?.complete === false);
  else if (before.req.complete || before.headersSent)
    before.once('close', () => setImmediate(refuseInTurn, socket, refuse));
  else refuse(false);
}

function answerOf({ code, allow }: Refusal, requestId: string, always: string) {
  const { status, message } = ERRORS[code];
  const body = JSON.stringify({ error: { code, message } });
  const headers = [
    `${always}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\n`,
    `${allow === undefined ? '' : `Allow: ${allow}\r\n`}X-Request-Id: ${requestId}\r\n`,
  ].join('');
  return { status, headers, body };
}

function rawAnswer(refusal: Refusal, requestId: string, always: string): string {
  const { status, headers, body } = answerOf(refusal, requestId, always);
  return `HTTP/1.1 ${status} ${refusal.code}\r\n${headers}Connection: close\r\n\r\n${body}`;
}
