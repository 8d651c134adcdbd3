/** Preloaded into a server (`--import`): a request with the header X-Die is followed by a fault that nothing catches, in the thread that reads it. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

subscribe('http.server.request.start', (message) => {
  const { request } = message as { readonly request: IncomingMessage };
  if (request.headers['x-die'] === undefined) return;
  setImmediate(() => {
    throw new Error('a fault that nothing catches');
  });
});
