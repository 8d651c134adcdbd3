import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Streams end with these errors when the other end is gone or too slow. A lost database causes some of them
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
