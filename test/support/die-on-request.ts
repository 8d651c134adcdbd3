/**
 * Preloaded into a server (`--import`). After a request with the header `X-Die: 1`, the lookup thread that
 * reads it dies of a fault that nothing catches; with `X-Die: app`, the app thread does, whose connections
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
