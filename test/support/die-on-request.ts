/**
 * Preloaded into a server (`--import`). A request with the header `X-Die: 1` is followed by a fault that nothing
 * catches, in the lookup thread that reads it. With `X-Die: app` the fault is in the app thread, whose connections
 * have no address.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

subscribe('http.server.request.start', (message) => {
  const { request } = message as { readonly request: IncomingMessage };
  const victim = request.headers['x-die'];
  if (victim === undefined || (victim === 'app') !== (request.socket.remoteAddress === undefined)) return;
  setImmediate(() => {
    throw new Error('a fault that nothing catches');
  });
});
