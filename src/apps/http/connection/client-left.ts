import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Error of a stream when its other end is gone or too slow. A database that goes away reports some of them
 * too, so a code alone proves nothing.
 */
const CODES: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * Whether an error says no more than that the client broke off: its connection is gone, and the error is of
 * the kind that this makes.
 */
export function clientLeft(error: unknown, request: IncomingMessage, response: ServerResponse): boolean {
  if (!(error instanceof Error)) return false;
  if (error === request.errored) return true;
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && CODES.has(code) && isGone(request, response);
}

const isGone = (request: IncomingMessage, response: ServerResponse): boolean =>
  request.socket.destroyed ||
  (request.destroyed && !request.complete) ||
  (response.destroyed && !response.writableFinished);
