import type { ServerResponse } from 'node:http';
import { type FlatHeaders, headersOf } from '../answer/reply-headers.ts';

/**
 * node:http builds heads from the status line and finished lines, then headers that it checks, Date and
 * Connection.
 */
interface HeadStoring extends ServerResponse {
  _storeHeader(firstLines: string, headers: FlatHeaders): void;
}

const STATUS_OK = 'HTTP/1.1 200 OK\r\n';

/**
 * Writes the head of a 200 from finished header lines. `writeHead` would parse and check the same lines by
 * regular expressions, a tenth of a lookup; ours are constants and numbers. Where the method behind it is
 * missing, `writeHead` does the work.
 * @param lines `Name: value\r\n` one after another; nothing a caller sent may be among them
 */
export function writeOkHead(response: ServerResponse, lines: string, contentLength: number): void {
  const { _storeHeader } = response as HeadStoring;
  if (typeof _storeHeader === 'function') {
    response.statusCode = 200;
    (response as HeadStoring)._storeHeader(STATUS_OK + lines, ['Content-Length', contentLength]);
  } else response.writeHead(200, [...headersOf(lines), 'Content-Length', contentLength] as string[]);
}
